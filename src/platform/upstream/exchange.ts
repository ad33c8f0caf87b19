import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Breaker, Permit, Verdict } from '../breaker/breaker.ts'
import type { QueueRefusal } from '../fairness/fair-queue.ts'
import type { SharedBudget } from '../fairness/shared-budget.ts'
import { countPassedBytes } from '../minor-gc.ts'
import type { UpstreamMetrics } from '../observe/metrics/upstreams.ts'
import { UpstreamFailure } from './failure.ts'
import { isEventStream } from './headers.ts'
import type { RetryBudget } from './retry-budget.ts'
import type { SlotRequest, Slots } from './slots.ts'
import { READY_BYTES, type Upload } from './upload.ts'

export interface UpstreamRequest {
  /** Whose share of the slots it uses. */
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

/** What all requests to one upstream share. */
export interface UpstreamParts {
  pool: Dispatcher
  slots: Slots
  eventStreams: SharedBudget
  breaker: Breaker
  budget: RetryBudget
  metrics: UpstreamMetrics
  deadlineMs: number
  maxResponseBytes: number
}

/** The error that undici gets when an exchange is aborted. The receiver has already got the real failure. */
const ABORTED = new Error('The exchange was aborted')

/** The body of a 5xx up to this size is read and discarded, so that its connection can be used again. */
const MAX_DISCARDED_BYTES = 64 * 1024

/** A client that the exchange waits for has stalled if it moved nothing for so long, or so little since it began. A part of the
 * time limit, because another team waits meanwhile. */
const MAX_STALL_MS = 1_000
const STALL_SHARE_OF_DEADLINE = 1 / 8
const SLOW_BYTES_PER_MS = 16

/** One attempt to send a request: it receives the begin of the body, waits for a slot, takes a permit of the breaker, sends
 * the request and hands the response to the receiver. It is a low-level handler of undici, because undici's streams and signals are expensive. */
export class Exchange implements SlotRequest, Dispatcher.DispatchHandler {
  readonly team: string
  private readonly upstream: UpstreamParts
  private readonly request: UpstreamRequest
  private readonly receiver: Receiver
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private head: ResponseHead | undefined
  private permit: Permit | undefined
  private state: 'receiving' | 'waiting' | 'sent' | 'ended' = 'receiving'
  private isInEventStreams = false
  private receivedBytes = 0
  private serverError: UpstreamFailure | undefined
  /** Start of the current part of the exchange: sending the request, or receiving the response. */
  private startedAt = 0
  private progressAt = 0
  /** In the current part, without the begin of an upload, which was here before. */
  private movedBytes = 0
  private isAborted = false

  constructor(upstream: UpstreamParts, request: UpstreamRequest, receiver: Receiver, timer: NodeJS.Timeout) {
    this.upstream = upstream
    this.team = request.team
    this.request = request
    this.receiver = receiver
    this.timer = timer
  }

  start(): void {
    const { upload } = this
    upload?.once('error', (cause) => {
      const failure = cause instanceof UpstreamFailure ? cause : undefined
      this.abort(failure ?? new UpstreamFailure('client_disconnected', { cause }))
    })
    // Fails at once while the breaker is open, instead of waiting for a slot.
    if (!this.upstream.breaker.allows(this.team)) return this.end(new UpstreamFailure('not_sent'))
    if (upload)
      upload.start(
        () => this.enterSlots(),
        () => this.resetTimer(),
      )
    else this.enterSlots()
  }

  isWaiting(): boolean {
    return this.state === 'waiting'
  }

  onRefusal(cause: QueueRefusal): void {
    this.end(new UpstreamFailure(cause))
  }

  onSlot(): void {
    this.permit = this.upstream.breaker.permit(this.team)
    if (this.permit === undefined) return this.end(new UpstreamFailure('not_sent'))
    this.state = 'sent'
    this.upload?.beginForwarding()
    // The upstream has the whole time limit, however long the request waited here.
    this.timer.refresh()
    this.startedAt = performance.now()
    this.progressAt = this.startedAt
    this.movedBytes = -READY_BYTES
    const { method, path, headers, body = null } = this.request
    this.upstream.pool.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, this)
  }

  clientStalledSince(isUrgent: boolean): number | undefined {
    const waitsForClient = this.head ? this.controller?.paused : this.upload?.isStarved()
    if (this.state !== 'sent' || !waitsForClient) return undefined
    if (isUrgent) return this.progressAt
    const stallMs = Math.min(MAX_STALL_MS, STALL_SHARE_OF_DEADLINE * this.upstream.deadlineMs)
    const at = performance.now()
    const elapsedMs = at - this.startedAt
    const isSlow = elapsedMs >= stallMs && this.movedBytes < elapsedMs * SLOW_BYTES_PER_MS
    return isSlow || at - this.progressAt >= stallMs ? this.progressAt : undefined
  }

  giveUpSlot(): void {
    this.abort(new UpstreamFailure('slot_needed'))
  }

  /** Ends the exchange in any state: with a failure, or as if the response were complete. */
  abort(failure?: UpstreamFailure): void {
    this.end(failure)
    this.isAborted = true
    this.controller?.abort(ABORTED)
  }

  resume(): void {
    this.controller?.resume()
  }

  /** Called at the time limit. Ends the exchange and returns false, or returns true if it may continue: a streamed
   * response may pause while the client reads slowly, or while there is no event to send. */
  onTimeLimit(): boolean {
    // The slots limit the wait themselves.
    if (this.state === 'waiting') return true
    const { isStreamed } = this.receiver
    if (isStreamed && this.head && (this.controller?.paused || isEventStream(this.head.headers))) {
      this.report('succeeded')
      return true
    }
    this.abort(new UpstreamFailure(this.upload?.isStarved() ? 'client_stalled' : 'deadline'))
    return false
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Aborted while undici waited for a connection.
    if (this.isAborted) controller.abort(ABORTED)
    else this.request.onSent?.()
  }

  onBodySent(chunk: Buffer): void {
    this.countProgress(chunk.length)
  }

  onRequestSent(): void {
    this.resetTimer()
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const length = Number(headers['content-length'])
    if (status >= 500) {
      this.serverError = new UpstreamFailure('server_error', { status })
      if (!(length <= MAX_DISCARDED_BYTES)) this.abort(this.serverError)
      return
    }
    if (length > this.upstream.maxResponseBytes) return this.abort(new UpstreamFailure('too_large'))
    this.head = { status, headers }
    this.startedAt = performance.now()
    this.movedBytes = 0
    if (isEventStream(headers)) {
      const refusal = this.upstream.eventStreams.take(this.team, 1)
      if (refusal)
        return this.abort(new UpstreamFailure(refusal === 'own_share' ? 'too_many_streams' : refusal))
      this.isInEventStreams = true
      this.releaseSlot()
      // The verdict of a probe must not wait for the last event.
      this.report('succeeded')
    }
    this.resetTimer()
    this.receiver.onHead(this.head, this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.serverError) return
    this.receivedBytes += chunk.length
    this.countProgress(chunk.length)
    if (this.receivedBytes > this.upstream.maxResponseBytes) this.abort(new UpstreamFailure('too_large'))
    else if (!this.receiver.onChunk(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.releaseSlot()
    this.end(this.serverError)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.releaseSlot()
    this.end(this.serverError ?? UpstreamFailure.ofConnection(error))
  }

  private get upload(): Upload | undefined {
    const { body } = this.request
    return Buffer.isBuffer(body) ? undefined : body
  }

  private enterSlots(): void {
    this.state = 'waiting'
    this.upstream.slots.enter(this)
  }

  private resetTimer(): void {
    if (this.receiver.isStreamed) this.timer.refresh()
  }

  private countProgress(bytes: number): void {
    this.resetTimer()
    countPassedBytes(bytes)
    this.progressAt = performance.now()
    this.movedBytes += bytes
    // A long upload or response must not delay the verdict of a probe until its end.
    if (this.progressAt - this.startedAt > this.upstream.deadlineMs) {
      this.report(this.head ? 'succeeded' : 'abandoned')
    }
  }

  private end(failure: UpstreamFailure | undefined): void {
    if (this.state === 'ended') return
    if (this.state === 'waiting') this.releaseSlot()
    this.state = 'ended'
    if (this.isInEventStreams) this.upstream.eventStreams.give(this.team, 1)
    this.report(failure?.verdict ?? 'succeeded')
    if (failure) this.upload?.destroy()
    this.receiver.onEnd(failure)
  }

  private releaseSlot(): void {
    this.upstream.slots.leave(this)
  }

  /** Reports a verdict. `abandoned` may be followed by another one; any other verdict is final. */
  private report(verdict: Verdict): void {
    if (this.permit === undefined) return
    this.upstream.breaker.report(this.permit, verdict)
    if (verdict !== 'abandoned') this.permit = undefined
  }
}
