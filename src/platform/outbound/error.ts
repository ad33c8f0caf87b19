export type OutboundReason =
  | 'invalid_url'
  | 'unreachable'
  | 'too_large'
  | 'too_many_redirects'
  | 'not_success'

/** Why a document cannot be fetched. The message may be shown to the caller. It is the same for an address that is
 * blocked, refuses the connection or does not respond: a caller must not learn what the console's network contains. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  /** The true cause, for the server log and the audit log. Never shown to the caller. */
  readonly detail: string

  constructor(reason: OutboundReason, message: string, detail: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.detail = detail
  }
}

/** A certificate can have many names, and the error lists them. */
const MAX_DETAIL = 500

/** For every error below HTTP: DNS, a blocked address, the connection, TLS, the time limit. */
export function unreachable(error: unknown): OutboundError {
  const detail = describe(error).slice(0, MAX_DETAIL)
  return new OutboundError('unreachable', 'The URL could not be reached.', detail, { cause: error })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  // `fetch` wraps the error of the connection.
  return error.cause === undefined ? error.message : describe(error.cause)
}
