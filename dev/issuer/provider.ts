import { randomBytes } from 'node:crypto'
import { type Adapter, errors, Provider } from 'oidc-provider'
import { PERMISSIONS } from '../../src/contract/permissions.ts'
import { apiResource, findClient, identityOf } from './client.ts'
import { registerExchange } from './exchange.ts'
import type { SigningKey } from './keys.ts'

export interface ProviderOptions {
  readonly url: string
  readonly audience: string
  readonly tokenLifetimeSeconds: number
  readonly signingKey: SigningKey
  /** Published but no longer used: tokens that they signed stay valid. */
  readonly retiredKeys: readonly SigningKey[]
  readonly onJwksServed: () => void
}

/** JWT access tokens are not stored, so only clients are ever looked up. */
const createAdapter = (model: string): Adapter => ({
  find: async (id) => (model === 'Client' ? findClient(id) : undefined),
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
})

export function createProvider(options: ProviderOptions): Provider {
  const { url, audience, tokenLifetimeSeconds, signingKey, retiredKeys } = options
  const { alg, kid } = signingKey
  const provider = new Provider(url, {
    adapter: createAdapter,
    jwks: { keys: [signingKey, ...retiredKeys].map((key) => key.privateJwk) },
    cookies: { keys: [randomBytes(32)] },
    scopes: PERMISSIONS,
    // The library's default is RS256, and it refuses every client when no such key exists.
    clientDefaults: { id_token_signed_response_alg: alg },
    // Without it the library prints a warning.
    ttl: { ClientCredentials: tokenLifetimeSeconds },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => apiResource,
        getResourceServerInfo(_ctx, resource) {
          if (resource !== apiResource && resource !== audience) throw new errors.InvalidTarget()
          return {
            audience,
            scope: PERMISSIONS.join(' '),
            accessTokenFormat: 'jwt',
            // Without the kid a retired key of the same algorithm could be picked.
            jwt: { sign: { alg, kid } },
          }
        },
      },
    },
    formats: {
      customizers: {
        jwt(_ctx, token, jwt) {
          const identity = identityOf(token.clientId ?? '')
          if (!identity) throw new TypeError(`${token.clientId} names no user and team`)
          Object.assign(jwt.payload, { sub: identity.user, team_id: identity.team })
        },
      },
    },
  })
  registerExchange(provider, options)
  provider.use(async (ctx, next) => {
    await next()
    if (ctx['oidc']?.route === 'jwks' && ctx.status === 200) options.onJwksServed()
  })
  return provider
}
