import { Problem } from '../../api/problem.ts'

/** Why a team does not get something: it has its share, or all teams together have too much. */
export type Refusal = 'own_share' | 'overloaded'

// Created once: a refusal must be cheap, and an error with its own stack trace is not.
const PROBLEMS: Record<Refusal, Problem> = {
  own_share: new Problem('too_many_requests', { headers: { 'retry-after': '1' } }),
  overloaded: new Problem('overloaded', { headers: { 'retry-after': '1' } }),
}

export function refusalProblem(refusal: Refusal): Problem {
  return PROBLEMS[refusal]
}

/** A number of streams, of fetches or of places in a queue. A team may hold at most as many as are left: alone half of
 * them, two teams a third each. So something is always left for a team that has nothing yet. */
export class Share {
  readonly #total: number
  #left: number
  readonly #held = new Map<string, number>()

  constructor(total: number) {
    this.#total = total
    this.#left = total
  }

  /** Takes one, or throws a Problem if the team cannot have it. */
  take(team: string): void {
    const refusal = this.tryTake(team)
    if (refusal) throw refusalProblem(refusal)
  }

  /** Takes one, or returns why the team cannot have it. */
  tryTake(team: string): Refusal | undefined {
    const held = this.#held.get(team) ?? 0
    if (held >= this.#left) return held >= this.#total / (this.#held.size + 1) ? 'own_share' : 'overloaded'
    this.#held.set(team, held + 1)
    this.#left--
    return undefined
  }

  give(team: string): void {
    const held = (this.#held.get(team) ?? 0) - 1
    if (held > 0) this.#held.set(team, held)
    else this.#held.delete(team)
    this.#left++
  }
}
