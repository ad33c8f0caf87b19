export type BreakerState = 'closed' | 'half_open' | 'open'

/** Identifies the breaker state in which a request was sent. */
export type Permit = number

/** `abandoned`: the request ended for a reason that is not the upstream's. */
export type Verdict = 'succeeded' | 'failed' | 'abandoned'

export interface Breaker {
  state: () => BreakerState
  /** Whether `permit` would give one now. */
  allows: () => boolean
  /** Undefined while no request may be sent. In the half-open state only one request, the probe, has a permit. */
  permit: () => Permit | undefined
  /** Reports how a request ended. Ignored when the state has changed since its permit was given. */
  report: (permit: Permit, verdict: Verdict) => void
}

/** Time in the open state before the next probe. */
export const RESET_MS = 2_000

/** The failure rate is measured over the last second, in buckets of 100 ms. */
const BUCKETS = 10
const BUCKET_MS = 100
const MIN_REQUESTS = 10
const MAX_FAILURE_RATE = 0.5

/** Opens when more than half of the requests of the last second failed, then allows one probe per reset time.
 * Not opossum: it counts a client that disconnects as a success, so it stayed closed while the upstream was down. */
export function createBreaker(now: () => number, onChange: (state: BreakerState) => void): Breaker {
  const buckets = Array.from({ length: BUCKETS }, () => ({ index: -1, requests: 0, failures: 0 }))
  let state: BreakerState = 'closed'
  let openedAt = 0
  /** The number of state changes, and so the permit of the current state. */
  let epoch = 0

  const enter = (next: BreakerState) => {
    state = next
    epoch++
    if (next === 'open') openedAt = now()
    if (next === 'closed') for (const bucket of buckets) bucket.index = -1
    onChange(next)
  }
  const count = (failures: 0 | 1) => {
    const index = Math.floor(now() / BUCKET_MS)
    const bucket = buckets[index % BUCKETS] as (typeof buckets)[number]
    if (bucket.index === index) {
      bucket.requests++
      bucket.failures += failures
    } else {
      Object.assign(bucket, { index, requests: 1, failures })
    }
  }
  const isFailing = () => {
    const oldest = Math.floor(now() / BUCKET_MS) - BUCKETS + 1
    const recent = buckets.filter(({ index }) => index >= oldest)
    const requests = recent.reduce((sum, bucket) => sum + bucket.requests, 0)
    const failures = recent.reduce((sum, bucket) => sum + bucket.failures, 0)
    return requests >= MIN_REQUESTS && failures / requests > MAX_FAILURE_RATE
  }
  const allows = () => state === 'closed' || (state === 'open' && now() - openedAt >= RESET_MS)

  return {
    state: () => state,
    allows,
    permit: () => {
      if (!allows()) return undefined
      if (state === 'open') enter('half_open')
      return epoch
    },
    report: (permit, verdict) => {
      if (permit !== epoch) return
      // An abandoned probe proves nothing: the next one is due after another reset time.
      if (state === 'half_open') return enter(verdict === 'succeeded' ? 'closed' : 'open')
      if (verdict === 'abandoned') return
      count(verdict === 'failed' ? 1 : 0)
      if (verdict === 'failed' && isFailing()) enter('open')
    },
  }
}
