import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import { RESET_MS, type Verdict } from './breaker.ts'

/** Why a request to an upstream gave no response that can be passed on, with the error code for the client and the
 * verdict for the breaker. */
const KINDS = {
  /** No connection could be made. */
  unreachable: ['upstream_unavailable', 'unreachable'],
  /** The connection closed, or the response violated HTTP, before the response was complete. */
  cut_off: ['upstream_failed', 'failed'],
  /** The time limit passed after the request was sent. */
  deadline: ['upstream_timeout', 'failed'],
  /** The response is larger than allowed. */
  too_large: ['upstream_failed', 'failed'],
  server_error: ['upstream_failed', 'failed'],
  /** The breaker is open. */
  not_sent: ['upstream_unavailable', 'abandoned'],
  /** The request got no turn, or its response is one event stream too many. */
  own_share: ['too_many_requests', 'abandoned'],
  overloaded: ['overloaded', 'abandoned'],
  client_disconnected: ['client_disconnected', 'abandoned'],
  /** The client stopped sending its body. */
  client_stalled: ['request_timeout', 'abandoned'],
  /** The body of the client is larger than the upstream accepts. */
  request_too_large: ['body_too_large', 'abandoned'],
} as const satisfies Record<string, [ProblemCode, Verdict]>

export type FailureKind = keyof typeof KINDS

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
    if (this.kind === 'server_error') return [502, 503, 504].includes(this.status ?? 0)
    return this.kind === 'unreachable' || this.kind === 'cut_off'
  }

  toProblem(): Problem {
    const code = KINDS[this.kind][0]
    const headers = MAY_RETRY.has(code) ? { 'retry-after': String(Math.ceil(RESET_MS / 1_000)) } : {}
    return new Problem(code, { headers, cause: this })
  }
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}
