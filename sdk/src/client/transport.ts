import { ApiError, ConnectionFailed, ConsoleError, TimedOut } from '../errors.ts'
import type { CallOptions, ConsoleOptions, LogEntry } from '../options.ts'
import { delayMs, isLost, isPassing, sleep } from '../retry.ts'
import { Deadline } from './deadline.ts'
import { responseError } from './read-response.ts'
import { bearer, commonHeaders, newId } from './request-headers.ts'
import { expandPath, queryString, readBaseUrl } from './url.ts'

export interface Outgoing {
  method: string
  /** A path of the OpenAPI document, such as `/v1/views/{name}`. */
  template: string
  path?: object | undefined
  query?: object | undefined
  headers?: Record<string, string | undefined> | undefined
  body?: unknown
  /** Whether a repetition cannot make the change a second time. */
  repeatable: boolean
}

/** Reads a success. It ends the deadline, unless it hands the response on. */
type Read<T> = (response: Response, requestId: string, deadline: Deadline) => Promise<T>

/** Sends requests. Its members are private, so that no printed object shows the token. */
export class Transport {
  readonly #options: ConsoleOptions
  readonly #baseUrl: string

  constructor(options: ConsoleOptions) {
    this.#options = { ...options }
    this.#baseUrl = readBaseUrl(options.baseUrl)
  }

  get retryDelayMs(): number {
    return this.#options.retryDelayMs ?? 250
  }

  maxRetries(call: CallOptions): number {
    return call.maxRetries ?? this.#options.maxRetries ?? 2
  }

  url({ template, path, query }: Pick<Outgoing, 'template' | 'path' | 'query'>): string {
    return this.#baseUrl + expandPath(template, path) + queryString(query)
  }

  /** Repeats a request that may be repeated. `read` belongs to the try: a response that breaks off is a failed one. */
  async send<T>(outgoing: Outgoing, call: CallOptions, read: Read<T>): Promise<T> {
    const requestId = call.requestId ?? newId()
    const maxRetries = outgoing.repeatable ? this.maxRetries(call) : 0
    let afterLostResponse = false
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#try(outgoing, call, requestId, attempt, read)
      } catch (error) {
        if (!(error instanceof ConsoleError)) throw error
        error.afterLostResponse = afterLostResponse
        if (attempt >= maxRetries || !isPassing(error)) throw error
        afterLostResponse ||= isLost(error)
        await sleep(delayMs(error, attempt, this.retryDelayMs), call.signal)
      }
    }
  }

  async #try<T>(
    outgoing: Outgoing,
    call: CallOptions,
    requestId: string,
    attempt: number,
    read: Read<T>,
  ): Promise<T> {
    const { logger, timeoutMs = 30_000, fetch: send = fetch } = this.#options
    const init = await this.#init(outgoing, call, requestId)
    const started = performance.now()
    const deadline = new Deadline(call.timeoutMs ?? timeoutMs, call.signal)
    const entry = {
      method: outgoing.method,
      path: expandPath(outgoing.template, outgoing.path),
      requestId,
      attempt,
    }
    const log = (outcome: Pick<LogEntry, 'status' | 'error'>) =>
      logger?.({ ...entry, ...outcome, durationMs: Math.round(performance.now() - started) })
    try {
      const response = await send(this.url(outgoing), { ...init, signal: deadline.signal })
      if (!response.ok) throw await responseError(response, requestName(outgoing), requestId)
      const result = await read(response, requestId, deadline)
      log({ status: response.status })
      return result
    } catch (error) {
      const failure = this.failure(error, outgoing, requestId, deadline, call.signal)
      deadline.end()
      log({
        ...(failure instanceof ApiError && { status: failure.status }),
        error: failure instanceof ConsoleError ? failure.name : 'Aborted',
      })
      throw failure
    }
  }

  async #init(
    { method, headers, body }: Outgoing,
    call: CallOptions,
    requestId: string,
  ): Promise<RequestInit> {
    const { token } = this.#options
    const value = typeof token === 'string' ? token : await untilAborted(token, call.signal)
    const all = {
      authorization: bearer(value),
      'content-type': body === undefined ? undefined : 'application/json',
      'x-request-id': requestId,
      ...commonHeaders(this.#options, call),
      ...headers,
    }
    return {
      method,
      headers: Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect would send the token, and the change, to another address.
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
    }
  }

  /** The errors of fetch are not passed on: they can contain what was sent. */
  failure(
    error: unknown,
    outgoing: Outgoing,
    requestId: string,
    deadline: Deadline,
    signal: AbortSignal | undefined,
  ): unknown {
    if (signal?.aborted) return signal.reason
    const request = requestName(outgoing)
    if (deadline.hasPassed) return new TimedOut(`${request}: no response in time`, requestId)
    if (error instanceof ConsoleError) return error
    return new ConnectionFailed(`${request}: the connection failed${systemCode(error)}`, requestId)
  }
}

function requestName({ method, template, path }: Outgoing): string {
  return `${method} ${expandPath(template, path)}`
}

/** The code that Node gives a failed connection, such as ECONNREFUSED. */
function systemCode(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  const { code } = Object(cause) as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : ''
}

async function untilAborted<T>(start: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted()
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    Promise.resolve()
      .then(start)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', stop))
  })
}
