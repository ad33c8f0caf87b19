import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { StoredEvent } from '../platform/event-stream.ts'

/** Whoever stops reading is cut off when this much waits for them. They come back with the position they got to. */
const MOST_WAITING_BYTES = 256 * 1024

/** How long one who was ended may take to read what was sent before. */
const LAST_READ_WITHIN_MS = 10_000

export interface Interest {
  teamId: string
  /** Undefined for every agent of the team. */
  agentIds: ReadonlySet<string> | undefined
  /** What came up to this sequence is known to the watcher. */
  after: number
}

/** One who watches: what they want to see, and the events on their way to them. */
export class Watcher {
  readonly interest: Interest
  readonly answer: Readable
  wasCutOff = false
  readonly #gone = new AbortController()
  #wantsMore = true

  constructor(interest: Interest) {
    this.interest = interest
    const onWanted = () => {
      this.#wantsMore = true
      this.answer.emit('wanted')
    }
    this.answer = new Readable({ read: onWanted, highWaterMark: 16 * 1024 })
    this.answer.once('close', () => {
      this.#gone.abort()
      onWanted()
    })
  }

  /** Whether nothing more can be sent, although what was sent before may still be on its way. */
  get isGone(): boolean {
    return this.answer.destroyed || this.#gone.signal.aborted
  }

  /** Aborts when nothing more can be sent. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  wants({ sequence, teamId, agentId }: StoredEvent): boolean {
    const { interest } = this
    return (
      teamId === interest.teamId && sequence > interest.after && (interest.agentIds?.has(agentId) ?? true)
    )
  }

  /** Sends at once, and cuts off whoever does not read. */
  send(frame: Buffer): void {
    if (this.isGone) return
    this.#wantsMore = this.answer.push(frame)
    if (this.answer.readableLength > MOST_WAITING_BYTES) this.cutOff()
  }

  cutOff(): void {
    this.wasCutOff = true
    this.answer.destroy()
  }

  /** Answers whether what was sent is read within a time, as far as to make room for more. */
  async wantsMore(withinMs: number): Promise<boolean> {
    if (this.#wantsMore) return true
    return once(this.answer, 'wanted', { signal: AbortSignal.timeout(withinMs) }).then(
      () => true,
      () => false,
    )
  }

  end(): void {
    if (this.isGone) return
    this.#gone.abort()
    this.answer.push(null)
    setTimeout(() => {
      if (!this.answer.destroyed) this.cutOff()
    }, LAST_READ_WITHIN_MS).unref()
  }
}
