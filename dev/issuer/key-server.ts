import type { RequestListener } from 'node:http'
import type { SigningKey } from './keys.ts'

export interface KeyServerOptions {
  readonly url: string
  readonly signingKey: SigningKey
  readonly retiredKeys: readonly SigningKey[]
  readonly onJwksServed: () => void
}

/** What a resource server asks an issuer for: the discovery document and the keys. */
export function createKeyServer({ url, signingKey, retiredKeys, onJwksServed }: KeyServerOptions) {
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/jwks` },
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
