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
}
