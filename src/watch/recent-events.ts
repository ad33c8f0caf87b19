import type { StoredEvent } from '../platform/events/jetstream.ts'

const MAX_EVENTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** The newest events of the stream, without a gap. Most clients that reconnect were away for a moment and get what they
 * missed from here. */
export class RecentEvents {
  firstSequence: number
  lastSequence: number
  /** Each at its sequence modulo the length, so that a new event takes the place of the oldest one. */
  readonly #events: (StoredEvent | undefined)[] = Array.from({ length: MAX_EVENTS })
  #bytes = 0

  constructor(firstSequence: number) {
    this.firstSequence = firstSequence
    this.lastSequence = firstSequence - 1
  }

  /** The event that follows the last one. */
  add(event: StoredEvent): void {
    if (this.lastSequence - this.firstSequence + 1 === MAX_EVENTS) this.#dropOldest()
    this.lastSequence = event.sequence
    this.#events[event.sequence % MAX_EVENTS] = event
    this.#bytes += event.json.length
    while (this.#bytes > MAX_BYTES) this.#dropOldest()
  }

  after(sequence: number): StoredEvent[] {
    const events: StoredEvent[] = []
    for (let next = Math.max(sequence + 1, this.firstSequence); next <= this.lastSequence; next++) {
      const event = this.#events[next % MAX_EVENTS]
      if (event) events.push(event)
    }
    return events
  }

  #dropOldest(): void {
    const index = this.firstSequence % MAX_EVENTS
    this.#bytes -= this.#events[index]?.json.length ?? 0
    this.#events[index] = undefined
    this.firstSequence += 1
  }
}
