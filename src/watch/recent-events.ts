import type { StoredEvent } from '../platform/events/jetstream.ts'

const MAX_EVENTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** The newest events of the stream, without a gap. Most clients that reconnect were away for a moment and get what they
 * missed from here. */
export class RecentEvents {
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
    if (this.#events.length > MAX_EVENTS || this.#bytes > MAX_BYTES) this.#dropOldestHalf()
  }

  after(sequence: number): StoredEvent[] {
    return this.#events.slice(Math.max(0, sequence + 1 - this.firstSequence))
  }

  /** Half at once: removing one event from the start of an array costs as much as removing many. */
  #dropOldestHalf(): void {
    const count = Math.ceil(this.#events.length / 2)
    for (const { json } of this.#events.slice(0, count)) this.#bytes -= json.length
    this.#events = this.#events.slice(count)
    this.firstSequence += count
  }
}
