import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Permission } from '../contract/permissions.ts'
import { Problem } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import type { Caller, Identity, Refusal, VerifiedToken } from '../platform/identity.ts'

/** Who may call a route: tokens with this permission, any valid token, or callers without a token. */
type Access = Permission | 'authenticated' | 'public'

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: Access
  }
  interface FastifyRequest {
    /** Set on every route that needs a permission. */
    caller: Caller
    /** Set on every route that is not public. */
    token: string
    verified: VerifiedToken | undefined
  }
}

export interface AuthenticationOptions {
  identity: Identity
  recordRefusal: (refusal: Refusal) => Promise<void>
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Authenticates and authorises before the body is read. The server does not start if a route declares no
 * permission. */
export const authentication = fp(
  async (app, { identity, recordRefusal }: AuthenticationOptions) => {
    app.decorateRequest('caller')
    app.decorateRequest('token', '')
    app.decorateRequest('verified')
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => void routes.push(route))
    app.addHook('onReady', async () => {
      const undeclared = routes.filter(({ config }) => !config?.permission).map(({ url }) => url)
      if (undeclared.length > 0) throw new Error(`Routes without a permission: ${undeclared.join(', ')}`)
    })
    app.addHook('onRequest', async (request) => {
      const permission = request.routeOptions.config.permission ?? 'public'
      if (permission === 'public') return
      const token = readBearerToken(request)
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
      request.caller = toCaller(verified, request.id)
    })
  },
  { name: 'authentication' },
)

function readBearerToken({ headers, raw }: FastifyRequest): string {
  const sent = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization')
  // Of several headers Node keeps the first, while a proxy in front may have checked the last.
  const token = sent.length > 1 ? undefined : BEARER.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Problem('unauthenticated', { headers: { 'www-authenticate': 'Bearer' } })
  return token
}

/** Undefined for a token without a team or user: an audit event needs both. */
function describeRefusal(
  { id: requestId, method, params, routeOptions }: FastifyRequest,
  { userId, teamId }: VerifiedToken,
  permission: Permission,
): Refusal | undefined {
  if (teamId === null || userId === null) return undefined
  // The path parameters have not been validated yet.
  const agentId = parseUuid((params as { id?: string }).id ?? '')
  return {
    caller: { userId, teamId, requestId },
    permission,
    method,
    route: routeOptions.url ?? '',
    agentId: agentId.ok ? agentId.uuid : null,
  }
}

function toCaller({ userId, teamId }: VerifiedToken, requestId: string): Caller {
  if (teamId === null) throw new Problem('team_missing')
  if (userId === null) throw new Problem('user_missing')
  return { userId, teamId, requestId }
}
