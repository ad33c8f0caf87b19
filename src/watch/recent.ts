import type { StoredEvent } from '../platform/event-stream.ts'

const MOST_EVENTS = 10_000
const MOST_BYTES = 16 * 1024 * 1024

/** The newest events of the stream, without a gap among them. Most who come back were away for a moment, and are
 * told from here what they missed. */
export class RecentEvents {
  /** Everything from this sequence on is here. */
  firstSequence: number
  #events: StoredEvent[] = []
  #bytes = 0

  constructor(firstSequence: number) {
    this.firstSequence = firstSequence
  }

  get lastSequence(): number {
    return this.firstSequence + this.#events.length - 1
  }

  add(event: StoredEvent): void {
    this.#events.push(event)
    this.#bytes += event.json.length
    if (this.#events.length > MOST_EVENTS || this.#bytes > MOST_BYTES) this.#forgetHalf()
  }

  after(sequence: number): StoredEvent[] {
    return this.#events.slice(Math.max(0, sequence + 1 - this.firstSequence))
  }

  /** In one go: an array gives up its beginning as slowly for one as for many. */
  #forgetHalf(): void {
    const count = Math.ceil(this.#events.length / 2)
    for (const { json } of this.#events.slice(0, count)) this.#bytes -= json.length
    this.#events = this.#events.slice(count)
    this.firstSequence += count
  }
}
