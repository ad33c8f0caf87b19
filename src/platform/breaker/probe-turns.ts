import { RESET_MS } from './circuit.ts'

const MAX_TEAMS = 1_000

/** Lets teams send probes in turn: a team whose requests always fail must not keep the breaker open for the others. */
export class ProbeTurns {
  /** The teams that have sent a probe in this round. */
  readonly #probed = new Set<string>()
  /** A team that has not sent a probe in this round has asked since the last one. */
  #isOtherWaiting = false

  /** A team that had its turn waits one more reset time for the others. */
  allows(team: string, openForMs: number): boolean {
    if (!this.#probed.has(team)) {
      if (openForMs < RESET_MS) this.#isOtherWaiting = true
      return openForMs >= RESET_MS
    }
    return openForMs >= (this.#isOtherWaiting ? 2 : 1) * RESET_MS
  }

  start(team: string): void {
    if (this.#probed.has(team) || this.#probed.size >= MAX_TEAMS) this.#probed.clear()
    this.#probed.add(team)
    this.#isOtherWaiting = false
  }

  clear(): void {
    this.#probed.clear()
  }
}
