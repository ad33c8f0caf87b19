import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import type { Refusal } from '../limits/share.ts'
import { RESET_MS, type Verdict } from './breaker.ts'

/** Why a request to an upstream gave no response that can be passed on. */
export type FailureKind =
  /** No connection could be made. */
  | 'unreachable'
  /** The connection closed, or the response violated HTTP, before the response was complete. */
  | 'cut_off'
  /** The time limit passed after the request was sent. */
  | 'deadline'
  /** The response is larger than allowed. */
  | 'too_large'
  | 'server_error'
  /** The breaker is open. */
  | 'not_sent'
  /** The request got no turn, or its response is one event stream too many. */
  | Refusal
  | 'client_disconnected'
  /** The client stopped sending its body. */
  | 'client_stalled'
  /** The body of the client is larger than the upstream accepts. */
  | 'request_too_large'

/** The error code for the client, and the verdict for the breaker. */
const KINDS: Record<FailureKind, [ProblemCode, Verdict]> = {
  unreachable: ['upstream_unavailable', 'unreachable'],
  cut_off: ['upstream_failed', 'failed'],
  deadline: ['upstream_timeout', 'failed'],
  too_large: ['upstream_failed', 'failed'],
  server_error: ['upstream_failed', 'failed'],
  not_sent: ['upstream_unavailable', 'abandoned'],
  own_share: ['too_many_requests', 'abandoned'],
  overloaded: ['overloaded', 'abandoned'],
  client_disconnected: ['client_disconnected', 'abandoned'],
  client_stalled: ['request_timeout', 'abandoned'],
  request_too_large: ['body_too_large', 'abandoned'],
}

const MAY_RETRY = new Set<ProblemCode>(['upstream_unavailable', 'too_many_requests', 'overloaded'])

const CONNECT_ERRORS = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

const RETRIABLE_STATUSES = new Set([502, 503, 504])

export class UpstreamFailure extends Error {
  readonly kind: FailureKind
  /** The upstream's status, where it returned one. */
  readonly status: number | undefined

  constructor(kind: FailureKind, options: { status?: number; cause?: unknown } = {}) {
    super(`Upstream failure: ${kind}${options.status ? ` ${options.status}` : ''}`, { cause: options.cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
    this.status = options.status
  }

  static ofConnection(error: Error & { code?: string }): UpstreamFailure {
    if (error instanceof UpstreamFailure) return error
    const kind = CONNECT_ERRORS.has(error.code ?? '') ? 'unreachable' : 'cut_off'
    return new UpstreamFailure(kind, { cause: error })
  }

  get verdict(): Verdict {
    return KINDS[this.kind][1]
  }

  /** Whether a second attempt may succeed. The caller decides whether a second attempt is safe. */
  get isTransient(): boolean {
    if (this.kind === 'server_error') return RETRIABLE_STATUSES.has(this.status ?? 0)
    return this.kind === 'unreachable' || this.kind === 'cut_off'
  }

  toProblem(): Problem {
    const code = KINDS[this.kind][0]
    const headers = MAY_RETRY.has(code) ? { 'retry-after': String(Math.ceil(RESET_MS / 1_000)) } : {}
    return new Problem(code, { headers, cause: this })
  }
}

/** The allowed headers that are present; repeated ones are joined. A header listed in `Connection` belongs to that
 * connection alone, even if it is allowed (RFC 9110 section 7.6.1). */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const hopByHop =
    joined(headers.connection)
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = joined(headers[name])
    if (value !== undefined && !hopByHop.includes(name)) picked[name] = value
  }
  return picked
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

/** A header that was sent several times is the list of its values (RFC 9110 section 5.2). */
function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

const AUTH_PARAM = '[\\w-]+=(?:"[^"]*"|[^\\s",]+)'
const BEARER = new RegExp(`^Bearer(?: +${AUTH_PARAM}(?: *, *${AUTH_PARAM})*)?$`, 'i')

/** A client can only send a bearer token through the console, so no other challenge passes: `Basic` would make a browser
 * ask for a password, and `resource_metadata` sends a client to a server where it gets its tokens (RFC 9728). A 401 always has a
 * challenge (RFC 9110 section 15.5.2). */
export function checkChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  const { 'www-authenticate': challenge, ...others } = headers
  if (challenge !== undefined && BEARER.test(challenge) && !/resource_metadata/i.test(challenge))
    return headers
  return status === 401 ? { ...others, 'www-authenticate': 'Bearer' } : others
}
