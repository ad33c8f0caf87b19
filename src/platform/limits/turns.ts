import { type Factory, onScrape } from '../observe/metrics.ts'
import { type Refusal, refusalProblem, Share } from './share.ts'

export interface TurnOptions {
  places: number
  /** A team that waits longer for its turn is refused. */
  maxWaitMs: number
  metrics?: TurnMetrics | undefined
}

export interface TurnMetrics {
  observeWait: (seconds: number) => void
  countRefusal: (refusal: Refusal) => void
  /** Reads the counts at each scrape. */
  observeCounts: (counts: () => { taken: number; waiting: number }) => void
}

interface Waiter {
  team: string
  since: number
  resolve: () => void
  reject: (error: Error) => void
}

/** Of all teams together. */
const MAX_WAITING = 4_096

/** Gives a limited number of places to the teams that wait for one, in turn. No team holds more than three quarters of
 * them, so that another one need not wait for it. */
export class Turns {
  readonly #options: TurnOptions
  readonly #most: number
  /** The places that each team holds. */
  readonly #held = new Map<string, number>()
  /** The waiters of each team. The team whose turn is next comes first. */
  readonly #queues = new Map<string, Set<Waiter>>()
  /** The waiters of all teams. The one that has waited longest comes first. */
  readonly #waiting = new Set<Waiter>()
  readonly #room = new Share(MAX_WAITING)
  #taken = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: TurnOptions) {
    this.#options = options
    this.#most = Math.max(1, Math.floor((options.places * 3) / 4))
    options.metrics?.observeCounts(() => ({ taken: this.#taken, waiting: this.#waiting.size }))
  }

  /** Takes a place, which the caller gives back with `leave`. Undefined if the team has it at once; the promise rejects
   * with a Problem if the team is refused. */
  enter(team: string): Promise<void> | undefined {
    // This overtakes nobody: while a place is free, only teams at their limit wait.
    if (this.#taken < this.#options.places && this.#heldBy(team) < this.#most) {
      this.#take(team)
      return undefined
    }
    const refusal = this.#room.tryTake(team)
    if (refusal) return Promise.reject(this.#refuse(refusal))
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { team, since: performance.now(), resolve, reject }
      this.#queues.set(team, (this.#queues.get(team) ?? new Set()).add(waiter))
      this.#waiting.add(waiter)
      if (!this.#timer) this.#timer = this.#refuseAfter(this.#options.maxWaitMs)
    })
  }

  leave(team: string): void {
    this.#taken--
    this.#held.set(team, this.#heldBy(team) - 1)
    if (this.#heldBy(team) === 0) this.#held.delete(team)
    for (const [next, queue] of this.#queues) {
      const [waiter] = queue
      if (!waiter || this.#heldBy(next) >= this.#most) continue
      this.#remove(waiter)
      this.#take(next)
      // The other teams have their turns before this one has its next.
      if (this.#queues.delete(next)) this.#queues.set(next, queue)
      this.#options.metrics?.observeWait((performance.now() - waiter.since) / 1_000)
      waiter.resolve()
      return
    }
  }

  #heldBy(team: string): number {
    return this.#held.get(team) ?? 0
  }

  #take(team: string): void {
    this.#taken++
    this.#held.set(team, this.#heldBy(team) + 1)
  }

  #remove(waiter: Waiter): void {
    const { team } = waiter
    const queue = this.#queues.get(team) as Set<Waiter>
    queue.delete(waiter)
    this.#waiting.delete(waiter)
    this.#room.give(team)
    if (queue.size === 0) this.#queues.delete(team)
  }

  /** Refuses those that have waited too long by then. */
  #refuseAfter(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      const now = performance.now()
      for (const waiter of this.#waiting) {
        const leftMs = waiter.since + this.#options.maxWaitMs - now
        if (leftMs > 0) {
          this.#timer = this.#refuseAfter(leftMs)
          return
        }
        this.#refuseLate(waiter)
      }
    }, delayMs).unref()
  }

  #refuseLate(waiter: Waiter): void {
    const teams = Math.max(this.#held.size, this.#queues.size)
    const isAboveShare = this.#heldBy(waiter.team) > Math.min(this.#most - 1, this.#options.places / teams)
    this.#remove(waiter)
    waiter.reject(this.#refuse(isAboveShare ? 'own_share' : 'overloaded'))
  }

  #refuse(refusal: Refusal): Error {
    this.#options.metrics?.countRefusal(refusal)
    return refusalProblem(refusal)
  }
}

/** Without a label for the team: there may be 100,000 teams. */
export function createTurnMetrics(create: Factory): (of: string) => TurnMetrics {
  const waits = create.histogram(
    'console_place_wait_seconds',
    'Time that work waited for its turn: for requests or searches at the database, or for an upstream',
    ['of'],
  )
  const refusals = create.counter(
    'console_refusals_total',
    'Work that got no place, by what the place is for and cause',
    ['of', 'cause'],
  )
  const taken = create.gauge('console_places_in_use', 'Places that are taken, by what they are for', ['of'])
  const waiting = create.gauge('console_places_waiting', 'Work that waits for a place, by what it is for', [
    'of',
  ])
  const sources = new Map<string, () => { taken: number; waiting: number }>()
  onScrape(taken, () => {
    for (const [of, counts] of sources) taken.set({ of }, counts().taken)
  })
  onScrape(waiting, () => {
    for (const [of, counts] of sources) waiting.set({ of }, counts().waiting)
  })
  return (of) => ({
    observeWait: (seconds) => waits.observe({ of }, seconds),
    countRefusal: (cause) => refusals.inc({ of, cause }),
    observeCounts: (counts) => void sources.set(of, counts),
  })
}
