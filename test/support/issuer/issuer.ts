import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type JWK, type JWTPayload, SignJWT } from 'jose'
import { type HttpService, type ListenOptions, serve } from '../../../dev/http-service.ts'
import { clientId, type Identity } from '../../../dev/issuer/client.ts'
import {
  createSigningKey,
  importSigningKey,
  type SigningAlgorithm,
  type SigningKey,
} from '../../../dev/issuer/keys.ts'
import { type DemoPerson, demoPeople, EXAMPLE } from '../../../dev/issuer/people.ts'
import { createStore } from '../../../dev/issuer/store.ts'
import { requestToken, type TokenRequest } from '../../../dev/issuer/token.ts'
import { PERMISSIONS } from '../../../src/api/caller.ts'
import { createKeyServer } from './key-server.ts'

export interface IssuerOptions extends ListenOptions {
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

export interface Issuer extends HttpService {
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
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

export async function startIssuer(options: IssuerOptions = {}): Promise<Issuer> {
  const {
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
  const service = await serve(server, options)
  const { url = service.url } = options

  // A provider's JWKS is fixed for life, so a rotation puts a new provider behind the same server.
  const createHandler = async (): Promise<Handler> => {
    const onJwksServed = () => {
      jwksRequests += 1
    }
    const served = { url, audience, tokenLifetimeSeconds, signingKey, retiredKeys, onJwksServed }
    if (!grants) return createKeyServer({ ...served, tokenEndpoint })
    const { createProvider } = await import('../../../dev/issuer/provider.ts')
    const { registerExchange, withExchangeClient } = await import('./exchange.ts')
    const withClient = { ...store, createAdapter: withExchangeClient(store.createAdapter) }
    const provider = createProvider({ ...served, personTokenSeconds, people, store: withClient })
    registerExchange(provider, served)
    provider.use(async (ctx, next) => {
      await next()
      if (ctx['oidc']?.route === 'jwks' && ctx.status === 200) onJwksServed()
    })
    const handleByProvider = provider.callback()
    return (request, response) => void handleByProvider(request, response)
  }
  let handle = await createHandler()

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
    ...service,
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
      handle = await createHandler()
    },
  }
}
