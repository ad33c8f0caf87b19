import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Problem } from '../../api/problem.ts'
import type { Share } from '../limits/share.ts'
import type { Turns } from '../limits/turns.ts'
import type { Breaker, Permit, Verdict } from './breaker.ts'
import { isEventStream, UpstreamFailure } from './failure.ts'

export interface UpstreamRequest {
  /** The team whose turn and share the request takes. */
  team: string
  method: Dispatcher.HttpMethod
  path: string
  /** All headers to send, except those that HTTP itself needs. */
  headers: Record<string, string>
  body?: Buffer | Upload | undefined
  /** Called when a connection begins to send the request: from then on the upstream may have received it. */
  onSent?: (() => void) | undefined
}

export interface ResponseHead {
  status: number
  headers: IncomingHttpHeaders
}

/** Receives a response as it arrives. */
export interface Receiver {
  /** true: the time limit applies to each pause between two bytes. false: to the whole request, including a retry. */
  isStreamed: boolean
  onHead: (head: ResponseHead, exchange: Exchange) => void
  /** Returns false to pause until `resume`. */
  onChunk: (chunk: Buffer) => boolean
  /** Called once, without a failure when the response is complete. */
  onEnd: (failure: UpstreamFailure | undefined) => void
}

/** What an exchange belongs to. */
export interface ExchangeOptions {
  pool: Dispatcher
  turns: Turns
  eventStreams: Share
  breaker: Breaker
  maxResponseBytes: number
  request: UpstreamRequest
  receiver: Receiver
  /** The time limit of the request and its retry. */
  timer: NodeJS.Timeout
  isRetry: boolean
}

/** The error that undici gets when an exchange is aborted. The receiver has already got the real failure. */
const ABORTED = new Error('The exchange was aborted')

/** One attempt to send a request: it waits for its turn, takes a permit of the breaker, sends the request and hands the
 * response to the receiver. It is a low-level handler of undici, because undici's streams and signals are expensive. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  #controller: Dispatcher.DispatchController | undefined
  #head: ResponseHead | undefined
  #permit: Permit | undefined
  #state: 'waiting' | 'sent' | 'ended' = 'waiting'
  #hasTurn = false
  #isInEventStreams = false
  #receivedBytes = 0
  #serverError: UpstreamFailure | undefined
  #isAborted = false

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  start(): void {
    const { breaker, turns, request } = this.#options
    this.#upload?.once('error', (cause) => {
      const failure = cause instanceof UpstreamFailure ? cause : undefined
      this.abort(failure ?? new UpstreamFailure('client_disconnected', { cause }))
    })
    // Fails at once while the breaker is open, instead of waiting for a turn.
    if (!breaker.allows(request.team)) return this.#end(new UpstreamFailure('not_sent'))
    const turn = turns.enter(request.team)
    if (!turn) return this.#onTurn()
    turn.then(
      () => this.#onTurn(),
      ({ code }: Problem) =>
        this.#end(new UpstreamFailure(code === 'too_many_requests' ? 'own_share' : 'overloaded')),
    )
  }

  /** Ends the exchange in any state: with a failure, or as if the response were complete. */
  abort(failure?: UpstreamFailure): void {
    this.#end(failure)
    this.#isAborted = true
    this.#controller?.abort(ABORTED)
  }

  resume(): void {
    this.#controller?.resume()
  }

  /** Called at the time limit. Ends the exchange and returns false, or returns true if it may continue: a streamed
   * response may pause while the client reads slowly, or while there is no event to send. */
  onTimeLimit(): boolean {
    // The turns limit the wait of the first attempt themselves.
    if (this.#state === 'waiting' && !this.#options.isRetry) return true
    const streamed = this.#options.receiver.isStreamed ? this.#head : undefined
    if (streamed && (this.#controller?.paused || isEventStream(streamed.headers))) return true
    this.abort(new UpstreamFailure(this.#upload?.isStarved() ? 'client_stalled' : 'deadline'))
    return false
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Aborted while undici waited for a connection.
    if (this.#isAborted) controller.abort(ABORTED)
    else this.#options.request.onSent?.()
  }

  onBodySent(): void {
    this.#onProgress()
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    const { receiver, eventStreams, maxResponseBytes, request } = this.#options
    if (status < 200) return
    if (status >= 500) {
      // Its body is received and discarded, so that the connection can be used again.
      this.#serverError = new UpstreamFailure('server_error', { status })
      return
    }
    const isTooLarge = Number(headers['content-length']) > maxResponseBytes
    if (isTooLarge) return this.abort(new UpstreamFailure('too_large'))
    this.#head = { status, headers }
    if (isEventStream(headers)) {
      const refusal = eventStreams.tryTake(request.team)
      if (refusal) return this.abort(new UpstreamFailure(refusal))
      this.#isInEventStreams = true
      // It stays open for hours.
      this.#leaveTurns()
      this.#report('succeeded')
    }
    this.#onProgress()
    receiver.onHead(this.#head, this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { receiver, maxResponseBytes } = this.#options
    this.#receivedBytes += chunk.length
    if (this.#receivedBytes > maxResponseBytes) {
      return this.abort(this.#serverError ?? new UpstreamFailure('too_large'))
    }
    if (this.#serverError) return
    this.#onProgress()
    if (!receiver.onChunk(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#leaveTurns()
    this.#end(this.#serverError)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#leaveTurns()
    this.#end(this.#serverError ?? UpstreamFailure.ofConnection(error))
  }

  get #upload(): Upload | undefined {
    const { body } = this.#options.request
    return Buffer.isBuffer(body) ? undefined : body
  }

  #onTurn(): void {
    const { breaker, turns, pool, timer, request, isRetry } = this.#options
    const { team, method, path, headers, body = null } = request
    // The client may have disconnected meanwhile.
    if (this.#state === 'ended') return turns.leave(team)
    this.#hasTurn = true
    this.#permit = breaker.permit(team)
    if (this.#permit === undefined) {
      this.#leaveTurns()
      return this.#end(new UpstreamFailure('not_sent'))
    }
    this.#state = 'sent'
    // The upstream has the whole time limit, however long the request waited here. A retry has what is left of it.
    if (!isRetry) timer.refresh()
    pool.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, this)
  }

  /** Called when undici is done: for an aborted request it may still open a connection. */
  #leaveTurns(): void {
    if (!this.#hasTurn) return
    this.#hasTurn = false
    this.#options.turns.leave(this.#options.request.team)
  }

  #onProgress(): void {
    if (this.#options.receiver.isStreamed) this.#options.timer.refresh()
  }

  #end(failure: UpstreamFailure | undefined): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    const { eventStreams, request, receiver } = this.#options
    if (this.#isInEventStreams) eventStreams.give(request.team)
    this.#report(failure?.verdict ?? 'succeeded')
    if (failure) this.#upload?.destroy()
    receiver.onEnd(failure)
  }

  /** The first verdict counts. */
  #report(verdict: Verdict): void {
    if (this.#permit) this.#options.breaker.report(this.#permit, verdict)
    this.#permit = undefined
  }
}

/** The body of a client's request on its way to an upstream. */
export interface Upload extends Readable {
  /** Everything received so far was forwarded; the upload waits for the client. */
  isStarved: () => boolean
}
