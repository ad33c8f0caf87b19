import { type ApiError, ConnectionFailed, ConsoleError, TimedOut } from '../errors.ts'
import type { CallOptions, ConsoleOptions } from '../options.ts'
import { delayMs, isLost, isPassing, sleep, untilAborted } from '../retry.ts'
import { Deadline } from './deadline.ts'
import { responseError } from './read-response.ts'
import { bearer, newId, userAgentHeader } from './request-headers.ts'
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

/** One try of a request. */
export interface Try {
  requestId: string
  deadline: Deadline
  /** The error to raise for what went wrong in this try. */
  failure: (error: unknown) => unknown
}

/** Reads a success. It ends the deadline, unless it hands the response on. */
type Read<T> = (response: Response, current: Try) => Promise<T>

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
    const { method, template } = outgoing
    const path = expandPath(template, outgoing.path)
    const init = await this.#init(outgoing, call, requestId)
    const started = performance.now()
    const deadline = new Deadline(call.timeoutMs ?? timeoutMs, call.signal)
    const log = (status?: number, error?: string) => {
      const durationMs = Math.round(performance.now() - started)
      logger?.({ method, path, requestId, attempt, durationMs, status, error })
    }
    const failure = (error: unknown) => {
      deadline.end()
      return failureOf(error, `${method} ${path}`, requestId, deadline, call.signal)
    }
    try {
      const response = await send(this.url(outgoing), { ...init, signal: deadline.signal })
      if (!response.ok) throw await responseError(response, `${method} ${path}`, requestId)
      const result = await read(response, { requestId, deadline, failure })
      log(response.status)
      return result
    } catch (error) {
      const failed = failure(error)
      const { status, name } = Object(failed) as Partial<ApiError>
      log(status, name)
      throw failed
    }
  }

  async #init(
    { method, headers, body }: Outgoing,
    call: CallOptions,
    requestId: string,
  ): Promise<RequestInit> {
    const { token, team, userAgent } = this.#options
    const isJson = body !== undefined && !(body instanceof Blob || body instanceof FormData)
    const all = {
      authorization: bearer(await untilAborted(typeof token === 'string' ? token : token(), call.signal)),
      'content-type': isJson ? 'application/json' : undefined,
      'x-request-id': requestId,
      'console-team': call.team ?? team,
      'user-agent': userAgentHeader(userAgent),
      ...headers,
    }
    return {
      method,
      // Leaves out what is undefined.
      headers: JSON.parse(JSON.stringify(all)) as Record<string, string>,
      body: isJson ? JSON.stringify(body) : (body ?? null),
      // A redirect would send the token, and the change, to another address.
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
    }
  }
}

/** The errors of fetch are not passed on: they can contain what was sent. */
function failureOf(
  error: unknown,
  request: string,
  requestId: string,
  { hasPassed }: Deadline,
  signal: AbortSignal | undefined,
): unknown {
  if (signal?.aborted) return signal.reason
  if (hasPassed) return new TimedOut(`${request}: no response in time`, requestId)
  if (error instanceof ConsoleError) return error
  return new ConnectionFailed(`${request}: the connection failed${systemCode(error)}`, requestId)
}

/** The code that Node gives a failed connection, such as ECONNREFUSED. */
function systemCode(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  const { code } = Object(cause) as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : ''
}
