import { SecretText } from '../platform/crypto/secrets.ts'
import { parseSigningKeys } from '../platform/crypto/signer.ts'
import { parseHttpUrl, parsePlainUrl, parseText, type Reader } from './reader.ts'
import { readServicesFile, type Service } from './services-file.ts'

export interface ServicesConfig {
  readonly services: readonly Service[]
  /** Where clients reach the console, without a slash at the end, and its name in assertions. If undefined, taken from
   * the Host header, and no service has `token: assert`. */
  readonly publicUrl: string | undefined
  /** In PEM. The first signs assertions, all are published. */
  readonly signingKeys: readonly SecretText[]
  /** Undefined if no service has `token: exchange`. */
  readonly exchange: { readonly clientId: string; readonly clientSecret: SecretText } | undefined
}

/** The services, and what the console needs to make their tokens. */
export function readServices({ read, isSet }: Reader): ServicesConfig {
  const audience = read('AUTH_AUDIENCE', parseText)
  const issuer = read('AUTH_ISSUER', parseHttpUrl)
  const services = read('SERVICES_FILE', (path) => readServicesFile(path, audience), []) as
    | Service[]
    | undefined
  const hasToken = (token: Service['token']) => services?.some((service) => service.token === token)
  return {
    services: services ?? [],
    publicUrl:
      hasToken('assert') || isSet('PUBLIC_URL')
        ? read('PUBLIC_URL', (text) => parsePublicUrl(text, issuer))
        : undefined,
    signingKeys: hasToken('assert') || isSet('SIGNING_KEYS') ? read('SIGNING_KEYS', parseSigningKeys) : [],
    exchange: hasToken('exchange')
      ? {
          clientId: read('EXCHANGE_CLIENT_ID', parseText),
          clientSecret: read('EXCHANGE_CLIENT_SECRET', (text) => new SecretText(text)),
        }
      : undefined,
  }
}

/** The console must never accept its own assertions. */
function parsePublicUrl(text: string, issuer: string | undefined): string {
  const trimmed = (url: string) => new URL(url).href.replace(/\/+$/, '')
  const url = trimmed(parsePlainUrl(text))
  if (issuer !== undefined && url === trimmed(issuer)) throw new Error('must not be AUTH_ISSUER')
  return url
}
