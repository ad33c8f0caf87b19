import { randomUUID } from 'node:crypto'
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { errors, type Provider } from 'oidc-provider'
import { EXCHANGE_GRANT } from './client.ts'
import type { SigningKey } from './keys.ts'

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
