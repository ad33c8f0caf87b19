import { randomUUID } from 'node:crypto'
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type Adapter, type AdapterPayload, errors, type Provider } from 'oidc-provider'
import { clientSecret } from '../../../dev/issuer/client.ts'
import type { SigningKey } from '../../../dev/issuer/keys.ts'

interface ExchangeOptions {
  readonly url: string
  readonly audience: string
  readonly tokenLifetimeSeconds: number
  readonly signingKey: SigningKey
  readonly retiredKeys: readonly SigningKey[]
}

interface Params {
  subject_token?: string
  subject_token_type?: string
  audience?: string
}

/** The client with which the console exchanges tokens. */
export const exchangeClientId = 'agent-console'
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** Adds the client to the store of the development issuer. */
export function withExchangeClient(createAdapter: (model: string) => Adapter): (model: string) => Adapter {
  const client: AdapterPayload = {
    client_id: exchangeClientId,
    client_secret: clientSecret,
    grant_types: [EXCHANGE_GRANT],
    redirect_uris: [],
    response_types: [],
  }
  return (model) => {
    const adapter = createAdapter(model)
    if (model !== 'Client') return adapter
    return { ...adapter, find: async (id) => (id === exchangeClientId ? client : adapter.find(id)) }
  }
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Token exchange (RFC 8693): an access token of this issuer becomes one of the same user for another audience. */
export function registerExchange(provider: Provider, options: ExchangeOptions): void {
  const { url, audience, tokenLifetimeSeconds, signingKey, retiredKeys } = options
  const keys = createLocalJWKSet({ keys: [signingKey, ...retiredKeys].map((key) => key.publicJwk) })

  const verify = async (token: string): Promise<JWTPayload> => {
    try {
      return (await jwtVerify(token, keys, { issuer: url, audience })).payload
    } catch {
      throw new errors.InvalidRequest('The subject token is not valid')
    }
  }

  provider.registerGrantType<Params>(
    EXCHANGE_GRANT,
    async (ctx) => {
      const { subject_token: token, subject_token_type: type, audience: wanted } = ctx.oidc.params
      if (!token || type !== ACCESS_TOKEN) throw new errors.InvalidRequest('An access token is needed')
      if (!wanted || wanted === audience) throw new errors.InvalidTarget('Another audience is needed')
      const { sub = '', team_id, scope, exp = 0 } = await verify(token)
      const iat = Math.floor(Date.now() / 1_000)
      const expiresIn = Math.min(tokenLifetimeSeconds, exp - iat)
      const { clientId } = ctx.oidc.client
      const claims = {
        iss: url,
        aud: wanted,
        sub,
        team_id,
        scope,
        client_id: clientId,
        act: { sub: clientId },
      }
      ctx.body = {
        access_token: await new SignJWT({ ...claims, jti: randomUUID(), iat, exp: iat + expiresIn })
          .setProtectedHeader({ alg: signingKey.alg, kid: signingKey.kid, typ: 'at+jwt' })
          .sign(signingKey.privateKey),
        issued_token_type: ACCESS_TOKEN,
        token_type: 'Bearer',
        expires_in: expiresIn,
      }
    },
    ['subject_token', 'subject_token_type', 'requested_token_type', 'audience'],
  )
}
