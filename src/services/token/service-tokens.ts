import type { Metrics } from '../../platform/observe/metrics.ts'
import type { SecretText } from '../../platform/secrets/secret-text.ts'
import type { Signer } from '../../platform/secrets/signer.ts'
import type { Service } from '../file/service.ts'
import { createAssertion } from './assertion.ts'
import { createExchange } from './exchange.ts'
import { cacheTokens, type ServiceToken } from './token-cache.ts'

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
  const { auth, publicUrl = '', exchange, now, metrics } = options
  const assertion = createAssertion({ ...options, issuer: publicUrl })
  const exchanged =
    exchange &&
    createExchange({
      ...{ issuer: auth.issuer, ownAudience: auth.audience, now, ...exchange },
      metrics: metrics.exchanges(),
    })

  return ({ name, token, audience }) => {
    if (token === 'pass') return (caller) => caller.token
    if (token === 'assert') return cacheTokens((caller) => assertion(audience, caller), now)
    if (!exchanged) throw new Error(`The service ${name} needs EXCHANGE_CLIENT_ID`)
    return cacheTokens((caller) => exchanged(name, audience, caller), now)
  }
}
