import { setImmediate } from 'node:timers/promises'
import { within } from '../../platform/within.ts'
import type { Documents } from '../documents/documents.ts'

export interface Reading {
  documents: Documents
  /** Resolves when what is being read now has been read, or none of what is left has been for too long. */
  settled: () => Promise<void>
}

/** One document that takes long to read must not keep the others from being used. */
const PATIENCE_MS = 2_000

/** Knows which documents are being read: those that come together are combined together, and only once. */
export function createReading(documents: Documents): Reading {
  const underWay = new Set<Promise<unknown>>()
  const prepare: Documents['prepare'] = (...args) => {
    const prepared = documents.prepare(...args)
    const noted = prepared.catch(() => {}).finally(() => underWay.delete(noted))
    underWay.add(noted)
    return prepared
  }
  return {
    documents: { ...documents, prepare },
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
  return within(PATIENCE_MS, one, false)
}
