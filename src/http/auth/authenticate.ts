import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { AuditVia, Caller, Permission, Refusal } from '../../api/caller.ts'
import { TEAM_HEADER } from '../../api/headers.ts'
import { PermissionMissing, Problem } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import { countHeaders } from '../request.ts'
import type { Identity, VerifiedToken } from './identity.ts'
import { METADATA_PATH, publicUrlOf } from './routes.ts'
import { inTeam, nameTeams } from './verified-token.ts'

/** Who may call a route: tokens with this permission, a user and a team; any token with a user and a team, and with the
 * permission of the mounted operation if it has one; any valid token; or callers without a token. */
type Access = Permission | 'member' | 'authenticated' | 'public'

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: Access
    /** The interface that the route belongs to, for the audit log. Default: `api`. */
    via?: AuditVia
  }
  interface FastifyInstance {
    /** Records in the audit log that a caller lacks a permission. */
    recordRefusal: (refusal: Refusal) => Promise<void>
  }
  interface FastifyRequest {
    /** Set on every route that needs a permission, or a user and a team. */
    caller: Caller
    /** Set on every route that is not public. */
    token: string
    verified: VerifiedToken | undefined
    /** Ends a stream when the token of the request is no longer valid: it expires, is revoked, or its key is withdrawn.
     * Returns the function to call when the stream has ended by itself. */
    endWithToken: (end: () => void) => () => void
  }
}

export interface AuthenticationOptions {
  identity: Identity
  recordRefusal: (refusal: Refusal) => Promise<void>
  /** Undefined if PUBLIC_URL is not set. */
  publicUrl: string | undefined
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Authenticates and authorises before the body is read. The server does not start if a route declares no
 * permission. */
export const authentication = fp(
  async (app, { identity, recordRefusal, publicUrl }: AuthenticationOptions) => {
    app.decorate('recordRefusal', recordRefusal)
    app.decorateRequest('caller')
    app.decorateRequest('token', '')
    app.decorateRequest('verified')
    app.decorateRequest('endWithToken', function (this: FastifyRequest, end: () => void) {
      return identity.endWithToken(this.token, this.verified?.expiresAt ?? 0, end)
    })
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => void routes.push(route))
    app.addHook('onReady', async () => {
      const undeclared = routes.filter(({ config }) => !config?.permission).map(({ url }) => url)
      if (undeclared.length > 0) throw new Error(`Routes without a permission: ${undeclared.join(', ')}`)
    })

    app.addHook('onRequest', async (request) => {
      const access = request.routeOptions.config.permission ?? 'public'
      if (access === 'public') return
      const token = readBearerToken(request)
      const verified = await identity.verify(token)
      request.token = token
      const chosen = chooseTeam(request, verified)
      request.verified = chosen ?? verified
      if (access === 'authenticated') return
      const permission = access === 'member' ? request.mountedOperation?.permission : access
      if (permission !== undefined && !verified.permissions.has(permission)) {
        throw new PermissionMissing(permission)
      }
      if (!chosen) throw notYours(verified)
      request.caller = toCaller(chosen, request)
    })
    app.addHook('onError', async (request, reply, error: Error) => {
      const challenge = challengeFor(error, request, publicUrl)
      if (challenge) reply.header('www-authenticate', challenge)
      if (!(error instanceof PermissionMissing) || !request.verified) return
      const refusal = describeRefusal(request, request.verified, error.permission)
      if (refusal) await recordRefusal(refusal)
    })
  },
  { name: 'authentication', dependencies: ['mounted-operation'] },
)

function readBearerToken({ headers, raw }: FastifyRequest): string {
  const isSentOnce = countHeaders(raw, 'authorization') === 1
  const token = isSentOnce ? BEARER.exec(headers.authorization ?? '')?.[1] : undefined
  if (token === undefined) throw new Problem('unauthenticated')
  return token
}

/** Undefined if the request names a team that the token does not have. */
function chooseTeam({ headers }: FastifyRequest, verified: VerifiedToken): VerifiedToken | undefined {
  // Node joins several headers to one text, which names no team.
  const wanted = headers[TEAM_HEADER] as string | undefined
  return wanted === undefined ? verified : inTeam(verified, wanted)
}

/** Undefined for a token without a team or user: an audit event needs both. */
function describeRefusal(
  { id: requestId, method, params, routeOptions, mountedOperation }: FastifyRequest,
  { userId, teamId, name, clientId }: VerifiedToken,
  permission: string,
): Refusal | undefined {
  if (teamId === null || userId === null) return undefined
  // The path parameters have not been validated yet.
  const agentId = parseUuid((params as { id?: string }).id ?? '')
  return {
    caller: { userId, teamId, requestId, name, clientId, via: routeOptions.config.via ?? 'api' },
    permission,
    method,
    route: mountedOperation?.route ?? routeOptions.url ?? '',
    agentId: agentId.ok ? agentId.uuid : null,
  }
}

function toCaller(verified: VerifiedToken, { id: requestId, routeOptions }: FastifyRequest): Caller {
  const { userId, teamId, teams, name, clientId, permissions } = verified
  const { via = 'api' } = routeOptions.config
  if (teams.length === 0) throw new Problem('team_missing')
  if (teamId === null) {
    const names = nameTeams(teams)
    const detail = `The token has ${teams.length} teams. Name one of them in the header console-team: ${names}.`
    throw new Problem('team_ambiguous', { detail })
  }
  if (userId === null) throw new Problem('user_missing')
  return { userId, teamId, requestId, name, clientId, via, permissions }
}

function notYours({ teams }: VerifiedToken): Problem {
  if (teams.length === 0) return new Problem('team_missing')
  const detail = `The header console-team names none of the teams of the token. Name one of them: ${nameTeams(teams)}.`
  return new Problem('team_not_yours', { detail })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a route that is a protected resource of its own, with metadata at this path under the well-known one.
     * `scopes` are those that its clients ask for; the first one is enough to begin. */
    protectedResource?: { path: string; scopes: readonly [Permission, ...Permission[]] }
  }
}

/** The header that tells an OAuth client what to do (RFC 6750 section 3, RFC 9728 section 5.1): where to get a token,
 * or which scope it needs. Undefined for other errors. */
function challengeFor(
  error: Error,
  request: FastifyRequest,
  publicUrl: string | undefined,
): string | undefined {
  const parameters = error instanceof Problem ? toParameters(error, request) : undefined
  if (!parameters) return undefined
  const url = publicUrlOf(request, publicUrl)
  const path = METADATA_PATH + (request.routeOptions.config.protectedResource?.path ?? '')
  const all = [...(url === undefined ? [] : [`resource_metadata="${url}${path}"`]), ...parameters]
  return `Bearer ${all.join(', ')}`.trim()
}

function toParameters(problem: Problem, { routeOptions, verified }: FastifyRequest): string[] | undefined {
  const { protectedResource: resource } = routeOptions.config
  const first = resource ? [`scope="${resource.scopes[0]}"`] : []
  // Without a token there is no error to name.
  if (problem.code === 'unauthenticated') return first
  if (problem.code === 'invalid_token') return ['error="invalid_token"', ...first]
  if (!(problem instanceof PermissionMissing)) return undefined
  // A client asks for a new token with exactly these scopes, so those that it has are among them.
  const kept = resource?.scopes.filter((name) => verified?.permissions.has(name)) ?? []
  return ['error="insufficient_scope"', `scope="${[...kept, problem.permission].join(' ')}"`]
}
