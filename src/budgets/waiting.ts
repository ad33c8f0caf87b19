import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedBudget } from '../platform/fairness/shared-budget.ts'

export interface Wait<Result> {
  team: string
  /** Requests with the same key try one after the other, in the order in which they came. */
  key: string
  /** When to try first. */
  firstAfterMs: number
  maxWaitMs: number
  /** Ends the wait. */
  signal: AbortSignal
  /** Tries once. Returns when to try again, if it did not succeed. */
  attempt: () => Promise<{ result: Result; retryAfterMs: number | undefined }>
}

export interface Waiting {
  /** Tries until it succeeds or the next attempt would come too late, and returns the result of the last attempt. Undefined if too
   * many requests wait already. */
  until: <Result>(wait: Wait<Result>) => Promise<Result | undefined>
  /** Whether a request with this key waits. */
  hasQueue: (key: string) => boolean
  count: () => number
  /** Ends all waits. */
  close: () => void
}

/** Requests of a process that may wait. A team can have as many as remain free: alone half of them. */
const MAX_WAITING = 1_000

export function createWaiting(max = MAX_WAITING): Waiting {
  const places = createSharedBudget(max)
  /** The end of the last request with each key. */
  const lasts = new Map<string, Promise<void>>()
  const closing = new AbortController()
  let waiting = 0

  /** Waits for the requests before it. */
  const inTurn = <Result>(key: string, limit: Promise<unknown>, work: () => Promise<Result>) => {
    const before = lasts.get(key)
    const own = Promise.race([before, limit]).then(work)
    // Its value must not contain that of the one before it: the results of all would stay in memory.
    const end = async () => {
      // Also for those before it: this one may give up first.
      await Promise.allSettled([before, own])
      if (lasts.get(key) === last) lasts.delete(key)
    }
    const last = end()
    lasts.set(key, last)
    return own
  }

  const tryUntil = async <Result>({ key, firstAfterMs, maxWaitMs, signal, attempt }: Wait<Result>) => {
    const ending = AbortSignal.any([signal, closing.signal])
    const startedAt = performance.now()
    const deadline = startedAt + maxWaitMs
    const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: ending }).catch(() => {})
    return inTurn(key, pause(maxWaitMs), async () => {
      await pause(startedAt + firstAfterMs - performance.now())
      for (;;) {
        const { result, retryAfterMs } = await attempt()
        const isLate = retryAfterMs === undefined || performance.now() + retryAfterMs > deadline
        if (isLate || ending.aborted) return result
        await pause(Math.max(1, retryAfterMs))
      }
    })
  }

  return {
    until: async (wait) => {
      if (places.take(wait.team, 1) !== undefined) return undefined
      waiting++
      try {
        return await tryUntil(wait)
      } finally {
        waiting--
        places.give(wait.team, 1)
      }
    },
    hasQueue: (key) => lasts.has(key),
    count: () => waiting,
    close: () => closing.abort(),
  }
}
