import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Service } from '../../config/services-file.ts'
import { coalesce } from '../../platform/async.ts'
import type { SecretText } from '../../platform/crypto/secrets.ts'
import type { Signer } from '../../platform/crypto/signer.ts'
import { Share } from '../../platform/limits/share.ts'
import type { Metrics } from '../../platform/observe/metrics.ts'
import { discover, SourceUnavailable, sendToSource } from '../../platform/outbound/source.ts'
import { createExchangeMetrics, type ExchangeMetrics } from './metrics.ts'

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
      metrics: metrics.of(createExchangeMetrics),
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

/** The caller of a mounted operation. */
export type MountedCaller = Caller & {
  /** The caller's own token. */
  token: string
  permissions: ReadonlySet<string>
}

/** Returns the token that a service gets for a call. */
export type ServiceToken = (caller: MountedCaller) => string | Promise<string>

export interface MadeToken {
  token: string
  usableUntilMs: number
}

interface Entry {
  token: string | Promise<string>
  usableUntilMs: number
}

/** How long a failure is the result of further calls of the same caller. */
const FAILURE_MS = 1_000
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024

/** Keeps the tokens that were made for one service, by caller. Calls that need the same token at the same time share one. */
export function cacheTokens(
  make: (caller: MountedCaller) => Promise<MadeToken>,
  now: () => number,
): ServiceToken {
  const cache = new LRUCache<string, Entry>({
    maxSize: MAX_CACHED_CHARACTERS,
    // The token for the service is about as long as the caller's.
    sizeCalculation: (_entry, key) => 2 * key.length,
  })

  return (caller) => {
    // A token may be good for several teams.
    const key = `${caller.teamId} ${caller.token}`
    const known = cache.get(key)
    if (known && now() < known.usableUntilMs) return known.token
    const entry: Entry = { token: '', usableUntilMs: Number.POSITIVE_INFINITY }
    const making = make(caller).then(
      (made) => {
        Object.assign(entry, made)
        return made.token
      },
      (error: unknown) => {
        entry.usableUntilMs = now() + FAILURE_MS
        throw error
      },
    )
    entry.token = making
    cache.set(key, entry)
    return making
  }
}

export interface ExchangeOptions {
  issuer: string
  /** The audience of the tokens that the console accepts. */
  ownAudience: string
  clientId: string
  clientSecret: SecretText
  now: () => number
  metrics: ExchangeMetrics
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
function createExchange({ issuer, ownAudience, now, metrics, ...options }: ExchangeOptions) {
  const inFlight = new Share(MAX_IN_FLIGHT)
  const client = { client_id: options.clientId }
  const authenticate = basicAuthentication(options.clientId, options.clientSecret)
  const findServer = coalesce(() => discover(issuer))
  let server: oauth.AuthorizationServer | undefined

  const request = async (audience: string, { token }: MountedCaller): Promise<MadeToken> => {
    server ??= await findServer()
    const parameters = {
      subject_token: token,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      audience,
    }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      authenticate,
      GRANT_TYPE,
      parameters,
      {
        [oauth.customFetch]: fetchFromIssuer,
        // The request carries the secret of the client and the token of the caller.
        [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
      },
    )
    const granted = await oauth.processGenericTokenEndpointResponse(server, client, response)
    return toMadeToken(granted, ownAudience, now())
  }

  /** Rejects with a Problem. */
  return async (service: string, audience: string, caller: MountedCaller): Promise<MadeToken> => {
    inFlight.take(caller.teamId)
    const end = metrics.startExchange(service)
    try {
      const made = await request(audience, caller)
      end('succeeded')
      return made
    } catch (error) {
      // The endpoint may have moved.
      server = undefined
      const isUnavailable = error instanceof SourceUnavailable
      end(isUnavailable ? 'unavailable' : 'failed')
      const cause = isUnavailable ? error : new Error(describe(error as Error))
      throw isUnavailable
        ? new Problem('token_exchange_unavailable', { cause, headers: { 'retry-after': '2' } })
        : new Problem('token_exchange_failed', { cause })
    } finally {
      inFlight.give(caller.teamId)
    }
  }
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
