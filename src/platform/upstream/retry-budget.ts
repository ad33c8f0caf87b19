/** Lets a share of calls be tried again, and no more: retries must not multiply the load on an upstream that
 * is failing under it. */
export interface RetryBudget {
  /** To be told of every call. */
  earn: () => void
  /** Whether one may be tried again now. */
  spend: () => boolean
}

const SHARE = 0.1
/** What a quiet hour may save up. */
const MOST_SAVED = 10

export function createRetryBudget(): RetryBudget {
  let saved = 0
  return {
    earn: () => {
      saved = Math.min(MOST_SAVED, saved + SHARE)
    },
    spend: () => {
      if (saved < 1) return false
      saved -= 1
      return true
    },
  }
}
