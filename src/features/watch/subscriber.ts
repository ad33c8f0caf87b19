import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { StoredEvent, StoredStream } from '../../platform/nats/stream.ts'

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

/** The position after an event. It contains the creation time of the stream, because a new stream counts from 1 again,
 * and the epoch, because a client with events of an earlier one must list the agents again. */
export interface Position {
  createdAt: number
  epoch: number
  sequence: number
}

export function formatPosition({ createdAt, epoch, sequence }: Position): string {
  return `${createdAt.toString(36)}-${epoch}-${sequence}`
}

/** Expects a text that matches the pattern of Last-Event-ID. */
export function parsePosition(text: string): Position {
  const [createdAt = '', epoch = '', sequence = ''] = text.split('-')
  return { createdAt: Number.parseInt(createdAt, 36), epoch: Number(epoch), sequence: Number(sequence) }
}

/** Whether the stream still has every event after the position. */
export function isAvailable({ createdAt, sequence }: Position, stream: StoredStream): boolean {
  return (
    createdAt === stream.createdAt && sequence + 1 >= stream.firstSequence && sequence <= stream.lastSequence
  )
}

/** The part of a position that is the same for all events. */
export type StreamEpoch = Omit<Position, 'sequence'>

export function formatEvent({ createdAt, epoch }: StreamEpoch, { sequence, json }: StoredEvent): Buffer {
  const id = `id: ${formatPosition({ createdAt, epoch, sequence })}\ndata: `
  return Buffer.concat([Buffer.from(id), json, Buffer.from('\n\n')])
}

/** Gives a client a position to resume from, without an event. */
export function formatPositionOnly(
  { createdAt, epoch }: StreamEpoch,
  sequence: number,
  comment: string,
): Buffer {
  return Buffer.from(`: ${comment}\nid: ${formatPosition({ createdAt, epoch, sequence })}\n\n`)
}
