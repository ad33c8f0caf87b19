import { createServer } from 'node:http'
import { type JWTPayload, SignJWT } from 'jose'
import { PERMISSIONS } from '../../src/contract/permissions.ts'
import { onFreePort } from '../free-port.ts'
import { clientId, clientSecret, type Identity } from './client.ts'
import { createSigningKey, type SigningAlgorithm, type SigningKey } from './keys.ts'
import { listen, stopListening } from './listen.ts'
import { apiResource, createProvider } from './provider.ts'

export interface IssuerOptions {
  /** A free one below 32768 when absent or 0. */
  port?: number
  host?: string
  audience?: string
  tokenLifetimeSeconds?: number
  alg?: SigningAlgorithm
}

export interface TokenRequest extends Identity {
  /** Space separated; every permission when absent, none when empty. */
  scope?: string
}

export interface RotateOptions {
  /** False drops the earlier public keys from the JWKS, as after a leak. True when absent. */
  keepOld?: boolean
  alg?: SigningAlgorithm
}

export interface Issuer {
  readonly url: string
  readonly audience: string
  /** A real client_credentials grant, over HTTP. */
  token(request: TokenRequest): Promise<string>
  /** The present key and exactly these claims: no `iss`, `exp` or other is added. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  signingKey(): SigningKey
  rotateKey(options?: RotateOptions): Promise<void>
  /** How often the JWKS has been served since the start. */
  jwksRequests(): number
  /** An outage: refuses connections and cuts the open ones, until `resume`. */
  stop(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

export async function startIssuer(options: IssuerOptions = {}): Promise<Issuer> {
  const { host = '127.0.0.1', audience = 'agent-console', tokenLifetimeSeconds = 3600 } = options
  let signingKey = await createSigningKey(options.alg ?? 'ES256')
  let retiredKeys: SigningKey[] = []
  let jwksRequests = 0

  const server = createServer()
  const { port: wanted = 0 } = options
  const port =
    wanted === 0 ? await onFreePort((free) => listen(server, free, host)) : await listen(server, wanted, host)
  const url = `http://${host}:${port}`

  // A provider's JWKS is fixed for life, so a rotation puts a new provider behind the same server.
  const serve = () =>
    createProvider({
      url,
      audience,
      tokenLifetimeSeconds,
      signingKey,
      retiredKeys,
      onJwksServed: () => {
        jwksRequests += 1
      },
    }).callback()
  let handle = serve()

  server.on('request', (request, response) => {
    // After stop and resume a client must not depend on having noticed that its pooled socket died.
    response.shouldKeepAlive = false
    void handle(request, response)
  })

  return {
    url,
    audience,
    signingKey: () => signingKey,
    jwksRequests: () => jwksRequests,
    token: (request) => requestToken(url, request),

    sign: (claims, header) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signingKey.alg, kid: signingKey.kid, typ: 'at+jwt', ...header })
        .sign(signingKey.privateKey),

    async rotateKey({ keepOld = true, alg = signingKey.alg } = {}) {
      const next = await createSigningKey(alg)
      retiredKeys = keepOld ? [signingKey, ...retiredKeys] : []
      signingKey = next
      handle = serve()
    },

    stop: () => stopListening(server),
    async resume() {
      if (!server.listening) await listen(server, port, host)
    },
    close: () => stopListening(server),
  }
}

async function requestToken(url: string, request: TokenRequest): Promise<string> {
  const { scope = PERMISSIONS.join(' ') } = request
  const credentials = Buffer.from(`${clientId(request)}:${clientSecret}`).toString('base64')
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: apiResource,
      ...(scope && { scope }),
    }),
    signal: AbortSignal.timeout(10_000),
  })
  const body: unknown = await response.json()
  if (typeof body === 'object' && body && 'access_token' in body && typeof body.access_token === 'string') {
    return body.access_token
  }
  throw new Error(`The issuer gave no token: ${response.status} ${JSON.stringify(body)}`)
}
