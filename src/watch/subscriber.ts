import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { StoredEvent } from '../platform/events/jetstream.ts'

/** A client that does not read is disconnected when its buffer is larger. It can resume from its last position. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** Time limit for reading the buffer after `end`. */
const DRAIN_TIMEOUT_MS = 10_000

export interface SubscriberFilter {
  teamId: string
  /** Undefined for every agent of the team. */
  agentIds: ReadonlySet<string> | undefined
  /** The client has every event up to this sequence. */
  after: number
}

/** A client that is connected to the event stream. */
export class Subscriber {
  readonly filter: SubscriberFilter
  /** The body of the response. */
  readonly body: Readable
  wasCutOff = false
  readonly #closing = new AbortController()
  #hasDemand = true

  constructor(filter: SubscriberFilter) {
    this.filter = filter
    const onDemand = () => {
      this.#hasDemand = true
      this.body.emit('demand')
    }
    this.body = new Readable({ read: onDemand, highWaterMark: 16 * 1024 })
    this.body.once('close', () => {
      this.#closing.abort()
      onDemand()
    })
  }

  /** Whether nothing more can be sent; the client may still be reading its buffer. */
  get isClosed(): boolean {
    return this.body.destroyed || this.#closing.signal.aborted
  }

  get closeSignal(): AbortSignal {
    return this.#closing.signal
  }

  matches({ sequence, teamId, agentId }: StoredEvent): boolean {
    const { filter } = this
    return teamId === filter.teamId && sequence > filter.after && (filter.agentIds?.has(agentId) ?? true)
  }

  send(frame: Buffer): void {
    if (this.isClosed) return
    this.#hasDemand = this.body.push(frame)
    if (this.body.readableLength > MAX_BUFFERED_BYTES) this.cutOff()
  }

  cutOff(): void {
    this.wasCutOff = true
    this.body.destroy()
  }

  /** Waits until the client has read enough of its buffer. Returns false if that takes too long. */
  async waitForDemand(timeoutMs: number): Promise<boolean> {
    if (this.#hasDemand) return true
    return once(this.body, 'demand', { signal: AbortSignal.timeout(timeoutMs) }).then(
      () => true,
      () => false,
    )
  }

  end(): void {
    if (this.isClosed) return
    this.#closing.abort()
    this.body.push(null)
    setTimeout(() => {
      if (!this.body.destroyed) this.cutOff()
    }, DRAIN_TIMEOUT_MS).unref()
  }
}
