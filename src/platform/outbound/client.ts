import type { Logger } from 'pino'
import { Share } from '../limits/share.ts'
import { type Received, redirectOf, send } from './configured.ts'
import { OutboundError, OutboundGuard, type OutboundPolicy, unreachable } from './guard.ts'

export { OutboundError, type OutboundPolicy } from './guard.ts'

export interface OutboundOptions {
  teamId: string
  accept?: string
  /** Not sent to another origin, since they may be credentials. */
  headers?: Record<string, string>
  maxBytes?: number
  /** For all redirects together. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface OutboundResponse {
  /** After redirects. */
  url: string
  /** 200 to 299, or 304. */
  status: number
  contentType: string | null
  etag: string | null
  body: Buffer
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 3
/** Fetches in flight. */
const MAX_IN_FLIGHT = 64

/** Each fetch has connections of its own, which are closed at its end: no team gets a connection of another one. */
export class OutboundClient {
  readonly #guard: OutboundGuard
  readonly #log: Logger | undefined
  readonly #inFlight = new Share(MAX_IN_FLIGHT)
  readonly #closing = new AbortController()

  constructor(policy: OutboundPolicy, log?: Logger) {
    this.#guard = new OutboundGuard(policy)
    this.#log = log
  }

  /** Fetches a document. Throws an OutboundError, and a Problem if too many fetches are in flight. */
  async get(url: string, options: OutboundOptions): Promise<OutboundResponse> {
    const { teamId, timeoutMs = TIMEOUT_MS, signal: callerLeft } = options
    this.#inFlight.take(teamId)
    const ended = new AbortController()
    const ends = [ended.signal, this.#closing.signal, AbortSignal.timeout(timeoutMs)]
    try {
      return await this.#follow(url, options, AbortSignal.any(callerLeft ? [...ends, callerLeft] : ends))
    } catch (error) {
      callerLeft?.throwIfAborted()
      const failure = error instanceof OutboundError ? error : unreachable(error)
      const { reason, detail } = failure
      this.#log?.info({ team: teamId, origin: URL.parse(url)?.origin, reason, detail }, 'a fetch failed')
      throw failure
    } finally {
      ended.abort()
      this.#inFlight.give(teamId)
    }
  }

  /** Ends all fetches. */
  close(): void {
    this.#closing.abort(new Error('The console is shutting down'))
  }

  async #follow(text: string, options: OutboundOptions, signal: AbortSignal): Promise<OutboundResponse> {
    const { accept = '*/*', maxBytes = MAX_BYTES } = options
    let { headers = {} } = options
    let url = this.#guard.checkUrl(text)
    for (let redirects = 0; ; redirects++) {
      const dispatcher = this.#guard.connectTo(url, signal)
      const received = await send(url, { headers: { ...headers, accept }, maxBytes, signal, dispatcher })
      const location = redirectOf(received)
      if (location === null) return toResponse(url, received, maxBytes)
      if (redirects === MAX_REDIRECTS) throw tooManyRedirects(url)
      const next = this.#guard.checkUrl(location, url)
      if (next.origin !== url.origin) headers = {}
      url = next
    }
  }
}

function toResponse(url: URL, { status, headers, body }: Received, maxBytes: number): OutboundResponse {
  if ((status < 200 || status > 299) && status !== 304) {
    const message = `The URL returned the status ${status}.`
    throw new OutboundError('not_success', message, `${url.origin} returned the status ${status}`)
  }
  if (!body) {
    const message = `The response is larger than ${maxBytes} bytes.`
    throw new OutboundError('too_large', message, `${url.origin} sent more than ${maxBytes} bytes`)
  }
  return { url: url.href, status, contentType: headers.get('content-type'), etag: headers.get('etag'), body }
}

function tooManyRedirects({ origin }: URL): OutboundError {
  const message = `The URL redirects more than ${MAX_REDIRECTS} times.`
  return new OutboundError('too_many_redirects', message, `the last redirect is from ${origin}`)
}
