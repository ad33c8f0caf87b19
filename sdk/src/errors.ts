import type { ProblemCode, ValidationFault } from './types.ts'

/** Base class of all errors of this package. An aborted call rejects with the reason of its signal instead. */
export class ConsoleError extends Error {
  override name = 'ConsoleError'
  /** Id of the request in the log and the audit log of the console. */
  readonly requestId: string | undefined
  /** true: the response to an earlier try was lost, so that try may have made the change. */
  afterLostResponse = false

  constructor(message: string, requestId?: string) {
    super(message)
    this.requestId = requestId
  }
}

/** There was no complete response: the change may have been made or not. */
export class ConnectionFailed extends ConsoleError {
  override name = 'ConnectionFailed'
}

/** The response did not arrive in time: the change may have been made or not. */
export class TimedOut extends ConsoleError {
  override name = 'TimedOut'
}

export interface ApiErrorInit {
  request: string
  status: number
  requestId: string | undefined
  retryAfterMs: number | undefined
  body: unknown
}

/** The console answered with an error. */
export class ApiError extends ConsoleError {
  override name = 'ApiError'
  readonly status: number
  /** Undefined for 422, and if a service behind the console or a proxy in front of it answered. */
  readonly code: ProblemCode | undefined
  readonly detail: string
  readonly retryAfterMs: number | undefined
  // Private, so that no log prints what a service behind the console put into it.
  readonly #body: unknown

  constructor({ request, status, requestId, retryAfterMs, body }: ApiErrorInit) {
    const { code, detail } = readProblem(body)
    super([`${request}: ${status}`, code, detail].filter(Boolean).join(' '), requestId)
    this.status = status
    this.code = code
    this.detail = detail
    this.retryAfterMs = retryAfterMs
    this.#body = body
  }

  /** The parsed body; text if it is not JSON. */
  get body(): unknown {
    return this.#body
  }
}

/** 401: there is no valid token. */
export class Unauthenticated extends ApiError {
  override name = 'Unauthenticated'
}

/** 403: the token does not allow it. */
export class Forbidden extends ApiError {
  override name = 'Forbidden'
}

/** 404: it does not exist, or belongs to another team. */
export class NotFound extends ApiError {
  override name = 'NotFound'
}

/** 409: the state of the console does not allow it; `code` says why. */
export class Conflict extends ApiError {
  override name = 'Conflict'
}

/** 410: the events after the position are no longer stored. List the agents, then watch without a position. */
export class PositionExpired extends ApiError {
  override name = 'PositionExpired'
}

/** 412: the agent is at another revision than `ifRevision`. */
export class Stale extends ApiError {
  override name = 'Stale'
}

/** 422: the request is not valid. */
export class ValidationFailed extends ApiError {
  override name = 'ValidationFailed'
  readonly faults: readonly ValidationFault[]

  constructor(init: ApiErrorInit) {
    super(init)
    const { detail } = Object(init.body) as { detail?: unknown }
    this.faults = Array.isArray(detail) ? detail : []
  }
}

/** 408, 429, 502, 503, 504: the console or a service behind it cannot answer now. */
export class Unavailable extends ApiError {
  override name = 'Unavailable'
}

const CLASSES: Record<number, typeof ApiError> = {
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  408: Unavailable,
  409: Conflict,
  410: PositionExpired,
  412: Stale,
  422: ValidationFailed,
  429: Unavailable,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
}

export function apiError(init: ApiErrorInit): ApiError {
  return new (CLASSES[init.status] ?? ApiError)(init)
}

function readProblem(body: unknown): { code: ProblemCode | undefined; detail: string } {
  const { code, detail } = Object(body) as { code?: unknown; detail?: unknown }
  return {
    // The console adds codes in a minor version; a program that does not know one handles it by its class.
    code: typeof code === 'string' ? (code as ProblemCode) : undefined,
    detail: typeof detail === 'string' ? detail : Array.isArray(detail) ? describe(detail) : '',
  }
}

function describe(faults: ValidationFault[]): string {
  const texts = faults.map((fault) => `${[fault?.loc].flat().join('.')}: ${fault?.msg}`)
  return texts.slice(0, 3).join('; ')
}
