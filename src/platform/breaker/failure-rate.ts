/** The rate is measured over the last second, in buckets of 100 ms. */
const BUCKETS = 10
const BUCKET_MS = 100

const MIN_REQUESTS = 10
const MAX_FAILURE_RATE = 0.5

export interface Counts {
  requests: number
  failures: number
}

/** Counts the requests of the last second and how many of them failed. */
export class FailureRate {
  readonly #buckets: (Counts & { index: number })[] = []

  count(now: number, isFailure: boolean): void {
    const index = Math.floor(now / BUCKET_MS)
    const known = this.#buckets[index % BUCKETS]
    const bucket = known?.index === index ? known : { index, requests: 0, failures: 0 }
    this.#buckets[index % BUCKETS] = bucket
    bucket.requests++
    if (isFailure) bucket.failures++
  }

  recent(now: number): Counts {
    const oldest = Math.floor(now / BUCKET_MS) - BUCKETS + 1
    const counts = { requests: 0, failures: 0 }
    // forEach skips the buckets that do not exist yet.
    this.#buckets.forEach(({ index, requests, failures }) => {
      if (index < oldest) return
      counts.requests += requests
      counts.failures += failures
    })
    return counts
  }
}

/** More than half of the requests failed. */
export function isMajority({ requests, failures }: Counts): boolean {
  return failures > requests * MAX_FAILURE_RATE
}

/** Enough requests to decide, and more than half of them failed. */
export function isFailing(counts: Counts): boolean {
  return counts.requests >= MIN_REQUESTS && isMajority(counts)
}
