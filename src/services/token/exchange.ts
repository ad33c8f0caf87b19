import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { Problem } from '../../contract/problem.ts'
import { coalesce } from '../../platform/coalesce.ts'
import { discover, SourceUnavailable, sendToSource } from '../../platform/identity/source.ts'
import { Share } from '../../platform/limits/share.ts'
import type { ExchangeMetrics } from '../../platform/observe/metrics/services.ts'
import type { SecretText } from '../../platform/secrets/secret-text.ts'
import type { MadeToken, MountedCaller } from './token-cache.ts'

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
export function createExchange({ issuer, ownAudience, now, metrics, ...options }: ExchangeOptions) {
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
