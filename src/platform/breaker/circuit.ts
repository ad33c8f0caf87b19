export type BreakerState = 'closed' | 'half_open' | 'open'

/** Time in the open state before the next probe. */
export const RESET_MS = 2_000

/** The state of a breaker, for all callers or for one team. */
export class Circuit {
  state: BreakerState = 'closed'
  /** The number of state changes: identifies the state in which a request was sent. */
  epoch = 0
  #openedAt = 0

  enter(state: BreakerState, now: number): void {
    this.state = state
    this.epoch++
    if (state === 'open') this.#openedAt = now
  }

  openForMs(now: number): number {
    return this.state === 'open' ? now - this.#openedAt : 0
  }

  allows(now: number): boolean {
    return this.state === 'closed' || this.openForMs(now) >= RESET_MS
  }
}
