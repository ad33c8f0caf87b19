import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Permission } from '../contract/permissions.ts'
import { Problem } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import type { Caller, Identity, Refusal, VerifiedToken } from '../platform/identity.ts'

/** Who may call a route: holders of a permission, holders of any valid token, or anybody. */
type Access = Permission | 'authenticated' | 'public'

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: Access
  }
  interface FastifyRequest {
    /** Set on every route that needs a permission. */
    caller: Caller
    /** The token, and what it says, on every route that is not public. */
    token: string
    verified: VerifiedToken | undefined
  }
}

export interface AuthenticationOptions {
  identity: Identity
  recordRefusal: (refusal: Refusal) => Promise<void>
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Decides before anything of the request is read. A route that does not say who may call it does not
 * start. */
export const authentication = fp(
  async (app, { identity, recordRefusal }: AuthenticationOptions) => {
    app.decorateRequest('caller')
    app.decorateRequest('token', '')
    app.decorateRequest('verified')
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => void routes.push(route))
    app.addHook('onReady', async () => {
      const open = routes.filter(({ config }) => !config?.permission)
      if (open.length > 0) throw new Error(`Who may call ${open.map(({ url }) => url).join(', ')}?`)
    })
    app.addHook('onRequest', async (request) => {
      const permission = request.routeOptions.config.permission ?? 'public'
      if (permission === 'public') return
      const token = bearerToken(request)
      const verified = await identity.verify(token)
      request.token = token
      request.verified = verified
      if (permission === 'authenticated') return
      if (!verified.permissions.has(permission)) {
        const refusal = describeRefusal(request, verified, permission)
        if (refusal) await recordRefusal(refusal)
        throw new Problem('permission_missing', {
          detail: `This operation needs the permission ${permission}.`,
        })
      }
      request.caller = identify(verified, request.id)
    })
  },
  { name: 'authentication' },
)

function bearerToken({ headers, raw }: FastifyRequest): string {
  const { authorization } = headers
  const sent = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization')
  // Node reads the first of several headers, while whoever stands in front of us may have read the last.
  if (authorization === undefined || sent.length > 1) throw unauthenticated('unauthenticated')
  const token = BEARER.exec(authorization)?.[1]
  if (token === undefined) throw unauthenticated('unauthenticated')
  return token
}

function unauthenticated(code: 'unauthenticated' | 'invalid_token'): Problem {
  return new Problem(code, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Undefined for a token that names no team or nobody: then there is nobody to record it for. */
function describeRefusal(
  { id: requestId, method, params, routeOptions }: FastifyRequest,
  { userId, teamId }: VerifiedToken,
  permission: Permission,
): Refusal | undefined {
  if (teamId === null || userId === null) return undefined
  // Nothing of the request has been checked yet.
  const named = parseUuid((params as { id?: string }).id ?? '')
  return {
    caller: { userId, teamId, requestId },
    permission,
    method,
    route: routeOptions.url ?? '',
    agentId: named.ok ? named.uuid : null,
  }
}

function identify({ userId, teamId }: VerifiedToken, requestId: string): Caller {
  if (teamId === null) throw new Problem('team_missing')
  if (userId === null) throw new Problem('team_missing', { detail: 'The token names no user.' })
  return { userId, teamId, requestId }
}
