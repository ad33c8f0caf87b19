import type { RequestListener } from 'node:http'
import type { SigningKey } from '../../../dev/issuer/keys.ts'

export interface KeyServerOptions {
  readonly url: string
  readonly signingKey: SigningKey
  readonly retiredKeys: readonly SigningKey[]
  readonly onJwksServed: () => void
  /** Another server's, which a test lets misbehave. */
  readonly tokenEndpoint: string | undefined
}

/** What a resource server asks an issuer for: the discovery document and the keys. */
export function createKeyServer(options: KeyServerOptions) {
  const { url, signingKey, retiredKeys, onJwksServed, tokenEndpoint } = options
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': {
      ...{ issuer: url, jwks_uri: `${url}/jwks` },
      ...(tokenEndpoint && { token_endpoint: tokenEndpoint }),
    },
    '/jwks': { keys: [signingKey, ...retiredKeys].map((key) => key.publicJwk) },
  }
  const handle: RequestListener = (request, response) => {
    const document = documents[request.url ?? '']
    if (request.url === '/jwks') onJwksServed()
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  }
  return handle
}
