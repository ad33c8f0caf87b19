/** Limits retries to a share of all requests, so that retries do not multiply the load on a failing upstream. */
export interface RetryBudget {
  /** Counts a request. */
  earn: () => void
  /** Returns whether a retry is allowed, and if so uses one up. */
  spend: () => boolean
}

const RETRIES_PER_REQUEST = 0.1
const MAX_SAVED_RETRIES = 10

export function createRetryBudget(): RetryBudget {
  let saved = 0
  return {
    earn: () => {
      saved = Math.min(MAX_SAVED_RETRIES, saved + RETRIES_PER_REQUEST)
    },
    spend: () => {
      if (saved < 1) return false
      saved -= 1
      return true
    },
  }
}
