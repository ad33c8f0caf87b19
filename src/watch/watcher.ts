import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { StoredEvent } from '../platform/event-stream.ts'

/** Whoever stops reading is cut off when this much waits for them. They come back with the position they got to. */
const MOST_WAITING_BYTES = 256 * 1024

const READ_WITHIN_MS = 10_000

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

  constructor(interest: Interest) {
    this.interest = interest
    this.answer = new Readable({ read: () => this.answer.emit('wanted'), highWaterMark: 16 * 1024 })
  }

  get isGone(): boolean {
    return this.answer.destroyed || this.answer.readableEnded
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
    this.answer.push(frame)
    if (this.answer.readableLength > MOST_WAITING_BYTES) this.answer.destroy()
  }

  /** Sends, and waits until more is wanted. */
  async sendAndWait(frame: Buffer): Promise<void> {
    if (this.isGone || this.answer.push(frame)) return
    await once(this.answer, 'wanted', { signal: AbortSignal.timeout(READ_WITHIN_MS) }).catch(() =>
      this.answer.destroy(),
    )
  }

  end(): void {
    if (!this.isGone) this.answer.push(null)
  }
}
