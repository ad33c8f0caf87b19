import type { Metrics } from '../../platform/observe/metrics.ts'
import type { SecretText } from '../../platform/secrets/secret-text.ts'
import type { Signer } from '../../platform/secrets/signer.ts'
import type { Service } from '../file/services-file.ts'
import { createExchange } from './exchange.ts'
import { cacheTokens, type MadeToken, type MountedCaller, type ServiceToken } from './token-cache.ts'

export interface ServiceTokenOptions {
  auth: { readonly issuer: string; readonly audience: string }
  /** The name of the console in its assertions. Undefined if no service has `token: assert`. */
  publicUrl: string | undefined
  signer: Signer
  /** Undefined if no service has `token: exchange`. */
  exchange: { readonly clientId: string; readonly clientSecret: SecretText } | undefined
  now: () => number
  newId: () => string
  metrics: Metrics
}

/** Returns what makes the tokens of a service, as the services file says. */
export function createServiceTokens(options: ServiceTokenOptions): (service: Service) => ServiceToken {
  const { auth, exchange, now, metrics } = options
  const assertion = createAssertion(options)
  const exchanged =
    exchange &&
    createExchange({
      ...exchange,
      issuer: auth.issuer,
      ownAudience: auth.audience,
      now,
      metrics: metrics.exchanges(),
    })

  return ({ name, token, audience }) => {
    if (token === 'pass') return (caller) => caller.token
    if (token === 'assert') return cacheTokens((caller) => assertion(audience, caller), now)
    if (!exchanged) throw new Error(`The service ${name} needs EXCHANGE_CLIENT_ID`)
    return cacheTokens((caller) => exchanged(name, audience, caller), now)
  }
}

const LIFETIME_SECONDS = 60

/** Makes the token in which the console tells a service who calls (RFC 9068). The calls of a caller share it for half of its
 * lifetime, so it names no request: the header `x-request-id` does. */
function createAssertion({ publicUrl = '', signer, now, newId }: ServiceTokenOptions) {
  return async (audience: string, caller: MountedCaller): Promise<MadeToken> => {
    const { userId, teamId, permissions, name, clientId } = caller
    const nowMs = now()
    const iat = Math.floor(nowMs / 1_000)
    const claims = {
      iss: publicUrl,
      aud: audience,
      sub: userId,
      team_id: teamId,
      permissions: [...permissions],
      ...(name ? { name } : {}),
      ...(clientId ? { client_id: clientId } : {}),
      jti: newId(),
      iat,
      exp: iat + LIFETIME_SECONDS,
    }
    return {
      token: await signer.sign(claims, 'at+jwt'),
      usableUntilMs: nowMs + (LIFETIME_SECONDS * 1_000) / 2,
    }
  }
}
