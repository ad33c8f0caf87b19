import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Service } from '../../config/services-file.ts'
import type { Core } from '../../core.ts'
import { coalesce } from '../../platform/async.ts'
import type { SecretText } from '../../platform/crypto/secrets.ts'
import { Share } from '../../platform/limits/share.ts'
import type { Factory } from '../../platform/observe/metrics.ts'
import { discover, SourceUnavailable, sendToSource } from '../../platform/outbound/source.ts'

/** The caller of a mounted operation. */
export type MountedCaller = Caller & {
  /** The caller's own token. */
  token: string
  permissions: ReadonlySet<string>
}

export interface MadeToken {
  token: string
  usableUntilMs: number
}

type MakeToken = (caller: MountedCaller) => Promise<MadeToken>

/** Makes the tokens of a service as the services file says. */
export function createServiceTokens(
  core: Pick<Core, 'config' | 'signer' | 'now' | 'newId'>,
  { name, token, audience }: Service,
  exchange: TokenExchange | undefined,
): ServiceTokens {
  if (token === 'pass') return new ServiceTokens(core.now)
  if (token === 'assert')
    return new ServiceTokens(core.now, (caller) => signAssertion(core, audience, caller))
  if (!exchange) throw new Error(`The service ${name} needs EXCHANGE_CLIENT_ID`)
  return new ServiceTokens(core.now, (caller) => exchange.makeToken(name, audience, caller))
}

interface Entry {
  token: string | Promise<string>
  usableUntilMs: number
}

/** How long a failure is the result of further calls of the same caller. */
const FAILURE_MS = 1_000
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024

/** The tokens that one service gets, by caller. Calls that need the same token at the same time share one. */
export class ServiceTokens {
  readonly #now: () => number
  readonly #make: MakeToken | undefined
  readonly #cache = new LRUCache<string, Entry>({
    maxSize: MAX_CACHED_CHARACTERS,
    // The token for the service is about as long as the caller's.
    sizeCalculation: (_entry, key) => 2 * key.length,
  })

  /** Without `make`, the service gets the token of the caller. */
  constructor(now: () => number, make?: MakeToken) {
    this.#now = now
    this.#make = make
  }

  tokenFor(caller: MountedCaller): string | Promise<string> {
    if (!this.#make) return caller.token
    // A token may be good for several teams.
    const key = `${caller.teamId} ${caller.token}`
    const known = this.#cache.get(key)
    if (known && this.#now() < known.usableUntilMs) return known.token
    const entry: Entry = { token: '', usableUntilMs: Number.POSITIVE_INFINITY }
    const making = this.#make(caller).then(
      (made) => {
        Object.assign(entry, made)
        return made.token
      },
      (error: unknown) => {
        entry.usableUntilMs = this.#now() + FAILURE_MS
        throw error
      },
    )
    entry.token = making
    this.#cache.set(key, entry)
    return making
  }
}

const LIFETIME_SECONDS = 60

/** Makes the token in which the console tells a service who calls (RFC 9068). The calls of a caller share it for half
 * of its lifetime, so it names no request: the header `x-request-id` does. */
async function signAssertion(
  { config, signer, now, newId }: Pick<Core, 'config' | 'signer' | 'now' | 'newId'>,
  audience: string,
  { userId, teamId, permissions, name, clientId }: MountedCaller,
): Promise<MadeToken> {
  const nowMs = now()
  const iat = Math.floor(nowMs / 1_000)
  const claims = {
    iss: config.publicUrl ?? '',
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

const LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 }
const MAX_IN_FLIGHT = 256
/** A token is used until so long before its end, or until the half of a shorter life. */
const MARGIN_MS = 30_000
const MAX_CACHED_MS = 3_600_000

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/

/** Gets tokens for services from the issuer: token exchange, RFC 8693. */
export class TokenExchange {
  readonly #core: Core
  readonly #client: oauth.Client
  readonly #authenticate: oauth.ClientAuth
  readonly #durations: ReturnType<typeof observeExchanges>
  readonly #inFlight = new Share(MAX_IN_FLIGHT)
  readonly #findServer = coalesce(() => discover(this.#core.config.auth.issuer))
  #server: oauth.AuthorizationServer | undefined

  constructor(core: Core, { clientId, clientSecret }: NonNullable<Core['config']['exchange']>) {
    this.#core = core
    this.#client = { client_id: clientId }
    this.#authenticate = basicAuthentication(clientId, clientSecret)
    this.#durations = core.metrics.of(observeExchanges)
  }

  /** Rejects with a Problem. */
  async makeToken(service: string, audience: string, caller: MountedCaller): Promise<MadeToken> {
    this.#inFlight.take(caller.teamId)
    const startedAt = performance.now()
    const end = (outcome: 'succeeded' | 'failed' | 'unavailable') =>
      this.#durations.observe({ service, outcome }, (performance.now() - startedAt) / 1_000)
    try {
      const made = await this.#request(audience, caller)
      end('succeeded')
      return made
    } catch (error) {
      // The endpoint may have moved.
      this.#server = undefined
      const isUnavailable = error instanceof SourceUnavailable
      end(isUnavailable ? 'unavailable' : 'failed')
      const cause = isUnavailable ? error : new Error(describe(error as Error))
      throw isUnavailable
        ? new Problem('token_exchange_unavailable', { cause, headers: { 'retry-after': '2' } })
        : new Problem('token_exchange_failed', { cause })
    } finally {
      this.#inFlight.give(caller.teamId)
    }
  }

  async #request(audience: string, { token }: MountedCaller): Promise<MadeToken> {
    const { config, now } = this.#core
    const { issuer, audience: ownAudience } = config.auth
    this.#server ??= await this.#findServer()
    const server = this.#server
    const parameters = {
      subject_token: token,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      audience,
    }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      this.#client,
      this.#authenticate,
      GRANT_TYPE,
      parameters,
      {
        [oauth.customFetch]: fetchFromIssuer,
        // The request carries the secret of the client and the token of the caller.
        [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
      },
    )
    const granted = await oauth.processGenericTokenEndpointResponse(server, this.#client, response)
    return toMadeToken(granted, ownAudience, now())
  }
}

export function observeExchanges(create: Factory) {
  return create.histogram(
    'console_token_exchange_duration_seconds',
    'Duration of token exchanges at the issuer, by service and outcome: succeeded, failed or unavailable',
    ['service', 'outcome'],
  )
}

/** RFC 6749 section 2.3.1. The library also encodes `-`, `_`, `.` and `~`, which some issuers do not decode. */
function basicAuthentication(clientId: string, clientSecret: SecretText): oauth.ClientAuth {
  const credentials = [clientId, clientSecret.reveal()].map(encodeURIComponent).join(':')
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  return (_server, _client, _body, headers) => headers.set('authorization', authorization)
}

async function fetchFromIssuer(
  url: string,
  options: oauth.CustomFetchOptions<'POST', URLSearchParams>,
): Promise<Response> {
  const { method, headers, body } = options
  const received = await sendToSource(url, { ...LIMITS, method, headers, body })
  if (!received.body) throw new Error('the response is too large')
  return new Response(received.body.toString(), { status: received.status, headers: [...received.headers] })
}

/** Quotes nothing but the error code of the issuer: its texts, and the messages of a parser, may repeat the token. */
function describe(error: Error): string {
  if (!(error instanceof oauth.ResponseBodyError)) return `The issuer made no usable token: ${error.message}`
  const code = /^\w{1,64}$/.test(error.error) ? `: ${error.error}` : ''
  return `The issuer returned ${error.status}${code}`
}

function toMadeToken(granted: oauth.TokenEndpointResponse, ownAudience: string, nowMs: number): MadeToken {
  const { access_token: token, token_type: type, expires_in: expiresIn = Number.POSITIVE_INFINITY } = granted
  if (!BEARER.test(token)) throw new Error('it has characters that a header cannot have')
  if (type !== 'bearer') throw new Error('it is not a bearer token')
  const { aud = [], exp = Number.POSITIVE_INFINITY } = readClaims(token)
  // The service could call the console with it, as the caller.
  if ([aud].flat().includes(ownAudience)) throw new Error('it is good at the console')
  const lifetimeMs = Math.min(expiresIn * 1_000, exp * 1_000 - nowMs, MAX_CACHED_MS)
  return { token, usableUntilMs: nowMs + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2) }
}

/** Empty for an opaque token, which the console never accepts. */
function readClaims(token: string): { aud?: string | string[]; exp?: number } {
  try {
    return decodeJwt(token)
  } catch {
    return {}
  }
}
