import * as oauth from 'oauth4webapi'
import { Failure, isPassingStatus, NotLoggedIn, PassingFailure, UsageError } from '../failure.ts'
import type { Login } from './stored-login.ts'

/** Tokens are asked for over HTTPS only, except on this machine. */
const isLoopback = (url: URL): boolean => /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname)

export interface IssuerOptions {
  issuer: string
  signal: AbortSignal
  timeoutMs: number
}

export interface Issuer {
  server: oauth.AuthorizationServer
  /** The options of every request. */
  request: () => { signal: AbortSignal; [oauth.allowInsecureRequests]: boolean }
}

export async function discoverIssuer({ issuer, signal, timeoutMs }: IssuerOptions): Promise<Issuer> {
  const url = URL.parse(issuer)
  if (!url) throw new Failure(`${issuer} is not the address of an issuer.`)
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw new UsageError(`The issuer ${issuer} is not reached over HTTPS.`)
  }
  const request = () => ({
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    [oauth.allowInsecureRequests]: url.protocol === 'http:',
  })
  const server = await explained(signal, `The issuer ${issuer}`, async () => {
    const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...request() })
    if (response.status !== 404) return oauth.processDiscoveryResponse(url, response)
    await response.body?.cancel()
    const other = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...request() })
    return oauth.processDiscoveryResponse(url, other)
  })
  return { server, request }
}

/** The issuer answered with an OAuth error. */
export class Refused extends NotLoggedIn {
  override name = 'Refused'
  /** Such as `invalid_grant`. */
  readonly error: string

  constructor(who: string, error: string, description: unknown) {
    super(`${who} refused: ${typeof description === 'string' ? `${error}: ${description}` : error}.`)
    this.error = error
  }
}

/** Turns what the library throws into a sentence without tokens. */
export async function explained<T>(signal: AbortSignal, who: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof Failure) throw error
    if (isPassing(error)) throw new PassingFailure(`${who} did not answer as expected: ${reasonOf(error)}.`)
    if (error instanceof oauth.ResponseBodyError) throw new Refused(who, error.error, error.error_description)
    if (error instanceof oauth.AuthorizationResponseError) {
      throw new Refused(who, error.error, error.error_description)
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError) throw await refusalOf(who, error.response)
    throw new Failure(`${who} did not answer as expected: ${reasonOf(error)}.`)
  }
}

function isPassing(error: unknown): boolean {
  // `slow_down` belongs to the device flow, which waits longer by itself.
  if (error instanceof oauth.ResponseBodyError) return error.status === 429 && error.error !== 'slow_down'
  // The library keeps a response that it did not expect, and what broke off the reading of one.
  const reason = error instanceof oauth.OperationProcessingError ? error.cause : error
  if (reason instanceof Response) return isPassingStatus(reason.status)
  const { name, cause } = Object(reason) as Partial<Error>
  // A TypeError of fetch has a cause; one of a wrong argument has none.
  return name === 'TimeoutError' || (reason instanceof TypeError && cause !== undefined)
}

/** A 401 has a challenge, and the error in its body. */
async function refusalOf(who: string, response: Response): Promise<Refused> {
  const body: unknown = await response.json().catch(() => undefined)
  const { error, error_description: text } = Object(body) as Record<string, unknown>
  return new Refused(who, typeof error === 'string' ? error : `status ${response.status}`, text)
}

function reasonOf(error: unknown): string {
  const { message, name, cause } = error as Error & { cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'no response in time'
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return message.replace(/\.$/, '') + code
}

/** A token without a lifetime is used for this long. */
const DEFAULT_LIFETIME_S = 300

export function toLogin(response: oauth.TokenEndpointResponse, nowMs: number, previous?: Login): Login {
  const refreshToken = response.refresh_token ?? previous?.refresh_token
  return {
    access_token: response.access_token,
    // An issuer that does not rotate sends no new one.
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    expires_at: Math.floor(nowMs / 1_000) + (response.expires_in ?? DEFAULT_LIFETIME_S),
  }
}

/** Whether a token lives long enough for a request. */
export function isUsable({ expires_at: end }: Login, nowMs: number): boolean {
  return end - nowMs / 1_000 > 30
}
