/** Why a call to an upstream gave nothing to pass on. */
export type FailureKind =
  /** No connection could be made. */
  | 'unreachable'
  /** The connection ended, or the answer broke off or broke HTTP, before it was complete. */
  | 'cut_off'
  /** The answer was not complete by the deadline. */
  | 'deadline'
  | 'too_large'
  /** A 5xx. */
  | 'server_error'
  /** The breaker is open: the upstream was not asked. */
  | 'not_asked'
  /** The caller left. No fault of the upstream's. */
  | 'caller_gone'
  /** The caller stopped sending. No fault of the upstream's either. */
  | 'caller_stalled'
  /** The caller sent more than the upstream takes. */
  | 'request_too_large'

const CALLERS_OWN: ReadonlySet<FailureKind> = new Set(['caller_gone', 'caller_stalled', 'request_too_large'])

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
  /** The status, where there was one. */
  readonly status: number | undefined

  constructor(kind: FailureKind, options: { status?: number; cause?: unknown } = {}) {
    super(`Upstream failure: ${kind}${options.status ? ` ${options.status}` : ''}`, { cause: options.cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
    this.status = options.status
  }

  /** Says nothing about the upstream. */
  get isCallersOwn(): boolean {
    return CALLERS_OWN.has(this.kind)
  }
}

/** What an error of the connection means. */
export function connectionFailure(error: Error & { code?: string }): UpstreamFailure {
  const kind = CONNECT_ERRORS.has(error.code ?? '') ? 'unreachable' : 'cut_off'
  return new UpstreamFailure(kind, { cause: error })
}

const RETRIABLE_STATUSES = new Set([502, 503, 504])

/** Whether a second try may end otherwise. It is for the caller to know whether it does harm. */
export function mayEndOtherwise(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false
  if (error.kind === 'server_error') return RETRIABLE_STATUSES.has(error.status ?? 0)
  return error.kind === 'unreachable' || error.kind === 'cut_off'
}
