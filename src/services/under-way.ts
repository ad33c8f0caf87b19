import { setImmediate } from 'node:timers/promises'
import { withTimeout } from '../platform/with-timeout.ts'

/** Work of one kind that is being done for several at once. */
export interface UnderWay {
  track: <Result>(work: Promise<Result>) => Promise<Result>
  /** Resolves when what is under way now is done, well or badly. */
  all: () => Promise<unknown>
  /** The same, unless none of what is left has been done for too long. */
  settled: () => Promise<void>
}

/** One document that takes long to read must not keep the others from being used. */
const PATIENCE_MS = 2_000

export function createUnderWay(): UnderWay {
  const underWay = new Set<Promise<unknown>>()
  return {
    track: (work) => {
      const noted = work.catch(() => {}).finally(() => underWay.delete(noted))
      underWay.add(noted)
      return work
    },
    all: () => Promise.all(underWay),
    settled: async () => {
      const left = new Set(underWay)
      while (left.size > 0 && (await oneOf(left)))
        for (const one of left) if (!underWay.has(one)) left.delete(one)
      // Whoever waited for the last one has not yet been told.
      await setImmediate()
    },
  }
}

/** Whether one of them came in time. */
function oneOf(awaited: Iterable<Promise<unknown>>): Promise<boolean> {
  const one = Promise.race(awaited).then(() => true)
  return withTimeout(PATIENCE_MS, one, false)
}
