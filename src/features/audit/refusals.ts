import type { Refusal } from '../../api/caller.ts'
import { type TeamEvent, teamEvent } from './queries.ts'

export interface RefusalsOptions {
  /** Never rejects. */
  store: (event: TeamEvent) => Promise<void>
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
  windowMs?: number
  maxWindows?: number
}

/** Refusals of one caller for one operation since its last audit event. */
interface Window {
  endsAtMs: number
  count: number
  sinceMs: number
  last: Refusal
  isOneAgent: boolean
}

/** How often a window is looked at in its time. */
const SWEEPS = 12

/** Limits the audit events of one caller. The first refusal of an operation is stored at once; further ones within a
 * minute are counted and stored as one event. A process that is killed loses at most the counts of that minute. */
export class Refusals {
  readonly #options: Required<RefusalsOptions>
  /** In the order of their ends. */
  readonly #windows = new Map<string, Window>()
  readonly #sweeping: NodeJS.Timeout

  constructor(options: RefusalsOptions) {
    this.#options = { windowMs: 60_000, maxWindows: 10_000, ...options }
    this.#sweeping = setInterval(
      () => void this.#storeAll(this.#closeEnded()),
      this.#options.windowMs / SWEEPS,
    )
    this.#sweeping.unref()
  }

  async record(refusal: Refusal): Promise<void> {
    const { caller, permission, method, route, agentId } = refusal
    const key = JSON.stringify([caller.teamId, caller.userId, permission, method, route])
    const window = this.#windows.get(key)
    if (window) {
      if (window.count === 0) Object.assign(window, { sinceMs: this.#options.now(), isOneAgent: true })
      else if (window.last.agentId !== agentId) window.isOneAgent = false
      window.count += 1
      window.last = refusal
      return
    }
    const [oldest] = this.#windows.size >= this.#options.maxWindows ? this.#windows : []
    const evicted = oldest ? this.#close(...oldest) : []
    this.#open(key, refusal)
    await this.#storeAll([...evicted, this.#toEvent(refusal, {})])
  }

  /** Stores what is counted. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    await this.#storeAll([...this.#windows].flatMap(([key, window]) => this.#close(key, window)))
  }

  #open(key: string, last: Refusal): void {
    const sinceMs = this.#options.now()
    const endsAtMs = sinceMs + this.#options.windowMs
    this.#windows.set(key, { endsAtMs, count: 0, sinceMs, last, isOneAgent: true })
  }

  /** Closes the window, and returns the event of what it counted. */
  #close(key: string, { count, sinceMs, last, isOneAgent }: Window): TeamEvent[] {
    this.#windows.delete(key)
    if (count === 0) return []
    const agentId = isOneAgent ? last.agentId : null
    return [this.#toEvent({ ...last, agentId }, { count, since: Math.floor(sinceMs / 1_000) })]
  }

  #closeEnded(): TeamEvent[] {
    const events: TeamEvent[] = []
    const nowMs = this.#options.now()
    for (const [key, window] of this.#windows) {
      if (window.endsAtMs > nowMs) break
      events.push(...this.#close(key, window))
      // A caller that goes on gets one event for each window.
      if (window.count > 0) this.#open(key, window.last)
    }
    return events
  }

  #toEvent({ caller, permission, method, route, agentId }: Refusal, counted: object): TeamEvent {
    const detail = { permission, method, route, ...counted }
    return { ...teamEvent(this.#options, caller, 'permission_refused', detail), agent_id: agentId }
  }

  async #storeAll(events: TeamEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.#options.store(event)))
  }
}
