export type BreakerState = 'closed' | 'half_open' | 'open'

/** `failed`: a failure that a caller can provoke. `unreachable`: no connection, which no caller can provoke.
 * `abandoned`: the request ended for a reason that is not the upstream's. */
export type Verdict = 'succeeded' | 'failed' | 'unreachable' | 'abandoned'

/** Time in the open state before the first probe, and between two probes of a team. */
export const RESET_MS = 2_000

/** The rate of failures is measured over the last second, in buckets of 100 ms. */
const BUCKETS = 10
const BUCKET_MS = 100
const MIN_REQUESTS = 10

interface Bucket {
  index: number
  requests: number
  failures: number
  unreachable: number
  /** Failures minus successes of each team. */
  balances: Map<string, number>
}

/** The state in which a request was sent, and its team. */
export interface Permit {
  epoch: number
  team: string
}

/** Opens when more than half of the requests of the last second failed, also of those of at least two teams alone, or
 * when more than half found no connection. Then each team may send a probe per reset time: the first that succeeds
 * closes it. Not opossum: it counts a client that disconnects as a success, so it stayed closed while the upstream
 * was down. */
export class Breaker {
  #state: BreakerState = 'closed'
  /** The number of changes between closed and open. */
  #epoch = 0
  #since = 0
  /** The teams that have sent a probe since `#since`. */
  readonly #probed = new Set<string>()
  #buckets: Bucket[] = []
  readonly #now: () => number
  readonly #onChange: (state: BreakerState) => void

  constructor(now: () => number, onChange: (state: BreakerState) => void) {
    this.#now = now
    this.#onChange = onChange
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Whether `permit` would give one now. */
  allows(team: string): boolean {
    if (this.#state === 'closed') return true
    if (this.#now() - this.#since >= RESET_MS) return true
    return this.#state === 'half_open' && !this.#probed.has(team)
  }

  /** Undefined while the team may send no request. */
  permit(team: string): Permit | undefined {
    if (!this.allows(team)) return undefined
    if (this.#state !== 'closed') {
      if (this.#now() - this.#since >= RESET_MS) this.#enter('half_open')
      this.#probed.add(team)
    }
    return { epoch: this.#epoch, team }
  }

  /** Reports how a request ended. Ignored if the breaker has opened or closed since its permit was given. */
  report({ epoch, team }: Permit, verdict: Verdict): void {
    if (epoch !== this.#epoch) return
    if (this.#state !== 'closed') {
      if (verdict === 'succeeded') this.#change('closed')
      return
    }
    if (verdict === 'abandoned') return
    const bucket = this.#bucket()
    const hasFailed = verdict !== 'succeeded'
    bucket.requests++
    bucket.balances.set(team, (bucket.balances.get(team) ?? 0) + (hasFailed ? 1 : -1))
    if (!hasFailed) return
    bucket.failures++
    if (verdict === 'unreachable') bucket.unreachable++
    if (this.#isFailing()) this.#change('open')
  }

  #change(state: 'closed' | 'open'): void {
    this.#epoch++
    this.#buckets = []
    this.#enter(state)
  }

  #enter(state: BreakerState): void {
    this.#state = state
    this.#since = this.#now()
    this.#probed.clear()
    this.#onChange(state)
  }

  #bucket(): Bucket {
    const index = Math.floor(this.#now() / BUCKET_MS)
    const known = this.#buckets[index % BUCKETS]
    if (known?.index === index) return known
    const bucket = { index, requests: 0, failures: 0, unreachable: 0, balances: new Map<string, number>() }
    this.#buckets[index % BUCKETS] = bucket
    return bucket
  }

  #isFailing(): boolean {
    const oldest = Math.floor(this.#now() / BUCKET_MS) - BUCKETS + 1
    // `filter` skips the buckets that do not exist yet.
    const recent = this.#buckets.filter(({ index }) => index >= oldest)
    const sum = (count: 'requests' | 'failures' | 'unreachable') =>
      recent.reduce((total, bucket) => total + bucket[count], 0)
    const requests = sum('requests')
    if (requests < MIN_REQUESTS) return false
    if (sum('unreachable') > requests / 2) return true
    if (sum('failures') <= requests / 2) return false
    const balances = new Map<string, number>()
    for (const bucket of recent) {
      for (const [team, balance] of bucket.balances) balances.set(team, (balances.get(team) ?? 0) + balance)
    }
    return [...balances.values()].filter((balance) => balance > 0).length >= 2
  }
}
