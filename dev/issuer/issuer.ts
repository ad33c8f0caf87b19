import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type JWK, type JWTPayload, SignJWT } from 'jose'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { onFreePort } from '../free-port.ts'
import { clientId, type Identity } from './client.ts'
import { createKeyServer } from './key-server.ts'
import { createSigningKey, importSigningKey, type SigningAlgorithm, type SigningKey } from './keys.ts'
import { listen, stopListening } from './listen.ts'
import { type DemoPerson, demoPeople, EXAMPLE } from './people.ts'
import { createStore } from './store.ts'
import { requestToken, type TokenRequest } from './token.ts'

export interface IssuerOptions {
  /** A free one below 32768 when absent or 0. */
  port?: number
  host?: string
  /** What `iss` of a token is. The address it listens on when absent. */
  url?: string
  audience?: string
  tokenLifetimeSeconds?: number
  /** Of the access tokens of people who sign in. */
  personTokenSeconds?: number
  /** The administrator of the demo people, and their team. */
  administrator?: Identity
  /** The addresses of the browser console. Its client exists once there is one. */
  consoleUrls?: readonly string[]
  alg?: SigningAlgorithm
  /** The private ES256 key of an earlier issuer, whose tokens stay valid. A new key when absent. */
  key?: JWK
  /** False publishes the keys only, without the token endpoint of an OpenID provider, whose modules take a quarter of
   * a second to load: for tests that need tokens and not an issuer. True when absent. */
  grants?: boolean
  /** What an issuer without grants says that its token endpoint is. */
  tokenEndpoint?: string
}

export interface RotateOptions {
  /** False drops the earlier public keys from the JWKS, as after a leak. True when absent. */
  keepOld?: boolean
  alg?: SigningAlgorithm
}

export interface Issuer {
  readonly url: string
  readonly audience: string
  /** Who can sign in. */
  readonly people: readonly DemoPerson[]
  /** Lets the browser console at this address sign people in. */
  registerConsole(url: string): void
  /** A client_credentials grant over HTTP, or a token of the same form where there are no grants. */
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

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

export async function startIssuer(options: IssuerOptions = {}): Promise<Issuer> {
  const {
    host = '127.0.0.1',
    audience = 'agent-console',
    tokenLifetimeSeconds = 3600,
    personTokenSeconds = 600,
    administrator = EXAMPLE,
    consoleUrls = [],
    grants = true,
    tokenEndpoint,
  } = options
  let signingKey = options.key
    ? await importSigningKey(options.key)
    : await createSigningKey(options.alg ?? 'ES256')
  let retiredKeys: SigningKey[] = []
  let jwksRequests = 0
  const people = demoPeople(administrator)
  const store = createStore()
  const registerConsole = (consoleUrl: string) => void store.consoleUrls.add(new URL(consoleUrl).origin)
  for (const consoleUrl of consoleUrls) registerConsole(consoleUrl)

  const server = createServer()
  const { port: wanted = 0 } = options
  const port =
    wanted === 0 ? await onFreePort((free) => listen(server, free, host)) : await listen(server, wanted, host)
  const { url = `http://${host}:${port}` } = options

  // A provider's JWKS is fixed for life, so a rotation puts a new provider behind the same server.
  const serve = async (): Promise<Handler> => {
    const onJwksServed = () => {
      jwksRequests += 1
    }
    const served = { url, audience, tokenLifetimeSeconds, signingKey, retiredKeys, onJwksServed }
    if (!grants) return createKeyServer({ ...served, tokenEndpoint })
    const { createProvider } = await import('./provider.ts')
    const handleByProvider = createProvider({ ...served, personTokenSeconds, people, store }).callback()
    return (request, response) => void handleByProvider(request, response)
  }
  let handle = await serve()

  const sign: Issuer['sign'] = (claims, header) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: signingKey.alg, kid: signingKey.kid, typ: 'at+jwt', ...header })
      .sign(signingKey.privateKey)
  const signToken = ({ user, team, scope = PERMISSIONS.join(' ') }: TokenRequest) => {
    const now = Math.floor(Date.now() / 1_000)
    return sign({
      iss: url,
      aud: audience,
      sub: user,
      team_id: team,
      client_id: clientId({ user, team }),
      jti: randomUUID(),
      iat: now,
      exp: now + tokenLifetimeSeconds,
      ...(scope && { scope }),
    })
  }

  server.on('request', (request, response) => {
    // After stop and resume a client must not depend on having noticed that its pooled socket died.
    response.shouldKeepAlive = false
    void handle(request, response)
  })

  return {
    url,
    audience,
    people,
    registerConsole,
    signingKey: () => signingKey,
    jwksRequests: () => jwksRequests,
    token: (request) => (grants ? requestToken(url, request) : signToken(request)),
    sign,

    async rotateKey({ keepOld = true, alg = signingKey.alg } = {}) {
      const next = await createSigningKey(alg)
      retiredKeys = keepOld ? [signingKey, ...retiredKeys] : []
      signingKey = next
      handle = await serve()
    },

    stop: () => stopListening(server),
    async resume() {
      if (!server.listening) await listen(server, port, host)
    },
    close: () => stopListening(server),
  }
}
