import { Problem } from '../../contract/problem.ts'
import type { FairQueue, QueueRefusal } from './fair-queue.ts'

/** For work that takes places by itself, one after the other, instead of one place for the whole request. */
export interface PlaceRequest {
  team: string
  /** As in QueueEntry. */
  key?: string | undefined
  /** Ends the wait. */
  signal?: AbortSignal
}

/** Waits for a place in a queue. */
export function takePlace(
  queue: FairQueue,
  { team, key, signal }: PlaceRequest,
): Promise<{ release: () => void } | { refusal: QueueRefusal }> {
  return new Promise((resolve, reject) => {
    const entry = {
      team,
      key,
      onPlace: () => {
        signal?.removeEventListener('abort', onAbort)
        resolve({ release: () => queue.release(entry) })
      },
      onRefusal: (refusal: QueueRefusal) => {
        signal?.removeEventListener('abort', onAbort)
        resolve({ refusal })
      },
    }
    const onAbort = () => {
      queue.cancel(entry)
      reject(signal?.reason as Error)
    }
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    queue.enter(entry)
  })
}

/** Created once: refusals must be cheap, and an error with its own stack trace is not. */
const REFUSALS: Record<QueueRefusal, Problem> = {
  own_share: new Problem('too_many_requests', { headers: { 'retry-after': '1' } }),
  overloaded: new Problem('overloaded', { headers: { 'retry-after': '1' } }),
}

export function refusalProblem(refusal: QueueRefusal): Problem {
  return REFUSALS[refusal]
}

/** Runs the work at a place, for a request that also waits for other things. Rejects as a request that gets no place. */
export async function atPlace<Result>(
  queue: FairQueue,
  request: PlaceRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const place = await takePlace(queue, request)
  if ('refusal' in place) throw refusalProblem(place.refusal)
  try {
    return await work()
  } finally {
    place.release()
  }
}
