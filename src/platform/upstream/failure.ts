import { Problem } from '../../contract/problem.ts'
import type { ProblemCode } from '../../contract/problem-codes.ts'
import { RESET_MS, type Verdict } from '../breaker.ts'
import type { Refusal } from '../limits/refusal.ts'

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
