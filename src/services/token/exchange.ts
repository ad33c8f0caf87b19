import { decodeJwt } from 'jose'
import { Problem } from '../../contract/problem.ts'
import { coalesce } from '../../platform/coalesce.ts'
import { refusalProblem } from '../../platform/fairness/place.ts'
import { createSharedBudget } from '../../platform/fairness/shared-budget.ts'
import type { ExchangeMetrics } from '../../platform/observe/metrics/services.ts'
import { type ConfiguredOptions, sendToConfigured } from '../../platform/outbound/configured.ts'
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

const TIMEOUT_MS = 5_000
const MAX_IN_FLIGHT = 256
const MAX_RESPONSE_BYTES = 64 * 1024
/** A token is used until so long before its end, or until the half of a shorter life. */
const MARGIN_MS = 30_000
const MAX_CACHED_MS = 3_600_000

type Request = Pick<ConfiguredOptions, 'method' | 'headers' | 'body'>

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/

/** The issuer did not respond, or responded with a temporary failure. */
class IssuerUnavailable extends Error {}

/** Gets tokens for services from the issuer: token exchange, RFC 8693. */
export function createExchange({ issuer, ownAudience, now, metrics, ...client }: ExchangeOptions) {
  const inFlight = createSharedBudget(MAX_IN_FLIGHT)
  // RFC 6749 section 2.3.1: both are form-encoded first.
  const credentials = [client.clientId, client.clientSecret.reveal()].map(encodeURIComponent).join(':')
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  const findEndpoint = coalesce(() => discover(issuer))
  let endpoint: string | undefined

  const request = async (audience: string, { token }: MountedCaller): Promise<MadeToken> => {
    endpoint ??= await findEndpoint()
    const body = await fetchJson(endpoint, {
      method: 'POST',
      headers: { authorization, accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        ...{ subject_token: token, subject_token_type: ACCESS_TOKEN },
        ...{ requested_token_type: ACCESS_TOKEN, audience },
      }),
    })
    return readToken(body, ownAudience, now())
  }

  /** Rejects with a Problem. */
  return async (service: string, audience: string, caller: MountedCaller): Promise<MadeToken> => {
    const refusal = inFlight.take(caller.teamId, 1)
    if (refusal) throw refusalProblem(refusal)
    const end = metrics.startExchange(service)
    try {
      const made = await request(audience, caller)
      end('succeeded')
      return made
    } catch (error) {
      // The endpoint may have moved.
      endpoint = undefined
      const isUnavailable = error instanceof IssuerUnavailable
      end(isUnavailable ? 'unavailable' : 'failed')
      throw isUnavailable
        ? new Problem('token_exchange_unavailable', { cause: error, headers: { 'retry-after': '2' } })
        : new Problem('token_exchange_failed', { cause: error })
    } finally {
      inFlight.give(caller.teamId, 1)
    }
  }
}

async function discover(issuer: string): Promise<string> {
  const document = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {})
  const endpoint = document['token_endpoint']
  if (document['issuer'] !== issuer) throw new Error('The discovery document has another issuer')
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) {
    throw new Error('The discovery document has no token_endpoint')
  }
  // The request carries the secret of the client and the token of the caller.
  if (new URL(issuer).protocol === 'https:' && new URL(endpoint).protocol !== 'https:') {
    throw new Error('The token_endpoint does not use https')
  }
  return endpoint
}

/** Errors quote nothing but the error code of the issuer: its texts may repeat the token. */
async function fetchJson(url: string, options: Request): Promise<Record<string, unknown>> {
  const { status, body: bytes } = await sendToIssuer(url, options)
  if (status >= 500 || status === 429) throw new IssuerUnavailable(`The issuer returned ${status}`)
  if (!bytes) throw new Error('The response of the issuer is too large')
  const body = parseObject(bytes)
  if (status !== 200) {
    const code = body?.['error']
    const reason = typeof code === 'string' && /^\w{1,64}$/.test(code) ? `: ${code}` : ''
    throw new Error(`The issuer returned ${status}${reason}`)
  }
  if (!body) throw new Error('The response of the issuer is not a JSON object')
  return body
}

async function sendToIssuer(url: string, options: Request) {
  try {
    return await sendToConfigured(url, { ...options, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES })
  } catch (error) {
    throw new IssuerUnavailable('The issuer does not respond', { cause: error })
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function readToken(body: Record<string, unknown>, ownAudience: string, nowMs: number): MadeToken {
  const { access_token: token, token_type: type, expires_in: expiresIn } = body
  if (typeof token !== 'string' || !BEARER.test(token)) throw new Error('The issuer returned no usable token')
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new Error('The issuer returned a token that is not a bearer token')
  }
  const { aud = [], exp = Number.POSITIVE_INFINITY } = readClaims(token)
  // The service could call the console with it, as the caller.
  if ([aud].flat().includes(ownAudience))
    throw new Error("The issuer's token for the service is good at the console")
  const declaredMs = typeof expiresIn === 'number' ? expiresIn * 1_000 : Number.POSITIVE_INFINITY
  const lifetimeMs = Math.min(declaredMs, exp * 1_000 - nowMs, MAX_CACHED_MS)
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
