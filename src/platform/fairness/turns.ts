import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import type { Lane, Lanes } from './lanes.ts'
import { takePlace } from './place.ts'

/** The turns of one request that changes many agents, at the database. Each part of its work has a place of its own, as if it were a request, so that
 * other teams get their turns in between. */
export interface Turns {
  /** Runs the work at a place. Throws, before it runs, if the request has to end. */
  take: <Result>(lane: Lane, work: () => Promise<Result>, key?: string) => Promise<Result>
}

export interface TurnsOptions {
  lanes: Lanes
  team: string
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  /** Whether the process is about to end. */
  isClosing: () => boolean
  maxMs?: number
}

/** A place that was refused is asked for again after this time. */
const RETRY_MS = 100

/** Less than the time after which common clients and load balancers give up. */
const MAX_REQUEST_MS = 25_000

export function createTurns({ lanes, team, signal, isClosing, maxMs = MAX_REQUEST_MS }: TurnsOptions): Turns {
  const endsAt = performance.now() + maxMs
  return {
    take: async (lane, work, key) => {
      for (;;) {
        signal.throwIfAborted()
        if (isClosing() || performance.now() > endsAt) throw notReached()
        const place = await takePlace(lanes[lane], { team, key, signal })
        if ('release' in place) {
          try {
            return await work()
          } finally {
            place.release()
          }
        }
        await sleep(RETRY_MS)
      }
    },
  }
}

function notReached(): Problem {
  return new Problem('overloaded', {
    detail:
      'The console had no time left for this part of the request. Nothing of it was changed. Repeat the request with the same ' +
      'Idempotency-Key, or with fewer agents.',
    headers: { 'retry-after': '1' },
  })
}
