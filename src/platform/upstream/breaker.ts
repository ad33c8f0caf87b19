export type BreakerState = 'closed' | 'half_open' | 'open'

/** Leave to make one call, to be told once how it ended. */
export interface Permit {
  succeeded: () => void
  failed: () => void
  /** Nothing can be said: the caller left. Counts for nothing. */
  abandoned: () => void
}

export interface Breaker {
  /** Undefined while the upstream is to be left alone. */
  permit: () => Permit | undefined
  state: () => BreakerState
}

export const RESET_MS = 2_000

/** Short, so that a dead upstream is noticed within it whatever went well before. */
const BUCKETS = 10
const BUCKET_MS = 100
const MINIMUM_CALLS = 10
const MOST_FAILURES = 0.5

/** Opens when more than half of the calls of the last second failed, and then lets one probe through per
 * reset. Written here because opossum, which was tried, counts a caller that hangs up as a success: such callers
 * kept it closed over a dead upstream, and one of them as the probe closed it. */
export function createBreaker(now: () => number, onChange: (state: BreakerState) => void): Breaker {
  const calls = new Uint32Array(BUCKETS)
  const failures = new Uint32Array(BUCKETS)
  let state: BreakerState = 'closed'
  let openedAt = 0
  let latestBucket = 0
  /** Grows with each change of state: what began in an earlier one has no say in this one. */
  let epoch = 0

  const enter = (next: BreakerState) => {
    state = next
    epoch++
    if (next === 'open') openedAt = now()
    if (next === 'closed') forget()
    onChange(next)
  }
  const forget = () => {
    calls.fill(0)
    failures.fill(0)
  }
  const count = (failed: boolean) => {
    const bucket = Math.floor(now() / BUCKET_MS)
    if (bucket - latestBucket >= BUCKETS) forget()
    for (let old = latestBucket + 1; old <= bucket && old < latestBucket + BUCKETS; old++) {
      calls[old % BUCKETS] = 0
      failures[old % BUCKETS] = 0
    }
    latestBucket = Math.max(latestBucket, bucket)
    const slot = bucket % BUCKETS
    calls[slot] = (calls[slot] as number) + 1
    if (failed) failures[slot] = (failures[slot] as number) + 1
  }
  const isFailing = () => {
    const called = calls.reduce((sum, some) => sum + some, 0)
    const failed = failures.reduce((sum, some) => sum + some, 0)
    return called >= MINIMUM_CALLS && failed / called > MOST_FAILURES
  }

  const ordinary = (begunIn: number): Permit => ({
    succeeded: () => {
      if (begunIn === epoch) count(false)
    },
    failed: () => {
      if (begunIn !== epoch) return
      count(true)
      if (isFailing()) enter('open')
    },
    abandoned: () => {},
  })
  const probe = (begunIn: number): Permit => ({
    succeeded: () => {
      if (begunIn === epoch) enter('closed')
    },
    failed: () => {
      if (begunIn === epoch) enter('open')
    },
    // Nothing was learnt: the next probe is due a reset later.
    abandoned: () => {
      if (begunIn === epoch) enter('open')
    },
  })

  return {
    state: () => state,
    permit: () => {
      if (state === 'closed') return ordinary(epoch)
      if (state === 'half_open' || now() - openedAt < RESET_MS) return undefined
      enter('half_open')
      return probe(epoch)
    },
  }
}
