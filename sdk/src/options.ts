import type { TrustStage } from './types.ts'

/** One try of a request, for a log. It holds no token, no query and no body. */
export interface LogEntry {
  method: string
  path: string
  requestId: string
  /** 0 for the first try. */
  attempt: number
  durationMs: number
  /** Undefined if there was no response. */
  status: number | undefined
  /** Name of the error. Undefined after a success. */
  error: string | undefined
}

export interface ConsoleOptions {
  /** Address of the console, such as `https://console.example.com`. */
  baseUrl: string
  /** The bearer token, or a function that returns a valid one. The function is called before every try. */
  token: string | (() => string | Promise<string>)
  /** The team to act for, if the token has several. */
  team?: string | undefined
  /** Time limit of one try, from the request to the end of the response. Default: 30,000. */
  timeoutMs?: number | undefined
  /** How often a failed request is repeated, if a repetition is safe. Default: 2. */
  maxRetries?: number | undefined
  /** Upper limit of the delay before the first repetition; it doubles with each. Default: 250. */
  retryDelayMs?: number | undefined
  fetch?: typeof globalThis.fetch | undefined
  logger?: ((entry: LogEntry) => void) | undefined
  /** Precedes the name of the SDK in the header `user-agent`. Browsers send their own. */
  userAgent?: string | undefined
}

export interface CallOptions {
  /** Ends the call, with all its tries. The promise rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Sent as `x-request-id` with every try. Default: a new UUID. */
  requestId?: string | undefined
  team?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** Why the caller makes the change. The revision, its event and the audit log show it. */
  reason?: string | undefined
}

export interface ConditionalOptions extends ChangeOptions {
  /** Change nothing and raise `Stale` if the agent is at another revision. Makes a repetition safe. */
  ifRevision?: number | undefined
}

export interface CreateOptions extends ChangeOptions {
  /** Makes repetitions of this call one change. Default: a new UUID. */
  idempotencyKey?: string | undefined
}

export interface ImpactOptions {
  /** Change nothing and raise `Conflict` if agents at this trust stage or a later one delegate to the agent. */
  refuseIfDependents?: TrustStage | undefined
}
