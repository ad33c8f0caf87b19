import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { createHeadroom } from './headroom.ts'
import { createUtilization } from './utilization.ts'

/** A lane is a number of places at the database for one kind of request. Separate lanes keep writes that wait for row locks,
 * and slow searches, from delaying reads. */
export const LANES = ['reads', 'writes', 'searches'] as const
export type Lane = (typeof LANES)[number]

/** The lanes, and the queue in which requests wait to begin. */
export type Lanes = Readonly<Record<Lane | 'intake', FairQueue>>

export interface LaneOptions {
  /** Connections of a replica for requests. */
  poolSize: number
  /** Maximum wait for a place. */
  maxWaitMs: number
  /** How busy a replica may be before a team that dominates it has to wait; see Headroom. 1: no team has to. */
  maxUtilization: number
}

/** The longest time that a search may take, and that another one may wait for it. */
export const SEARCH_TIMEOUT_MS = 2_000

/** The longest wait for a turn. Other teams may hold every place with slow statements. */
const MAX_TURN_MS = 2 * SEARCH_TIMEOUT_MS

/** How many requests begin in one turn of the event loop: few enough that it takes milliseconds. */
const BEGIN_PER_TURN = 8

/** A waiting request takes a few kilobytes, and in the intake up to 64 KiB more of its body. */
const MAX_WAITING = 1_000

/** The places of each lane, one for each connection: about half for reads, a third for writes, the rest for searches. */
export function dividePlaces(poolSize: number): Record<Lane, number> {
  const searches = Math.max(1, Math.floor((poolSize * 3) / 16))
  // Two, so that a change that waits for the lock of its row does not stop all others.
  const writes = Math.max(2, Math.floor((poolSize * 5) / 16))
  return { reads: poolSize - searches - writes, writes, searches }
}

export function createLanes({ poolSize, maxWaitMs, maxUtilization }: LaneOptions): Lanes {
  const places = dividePlaces(poolSize)
  const now = () => performance.now()
  // One for all lanes: their work runs in one thread.
  const headroom =
    maxUtilization < 1 ? createHeadroom({ maxUtilization, utilization: createUtilization(), now }) : undefined
  const limitWaits = (waitMs: number) => ({
    maxWaiting: MAX_WAITING,
    maxWaitMs: waitMs,
    maxTurnMs: Math.max(waitMs, MAX_TURN_MS),
    now,
  })
  const create = (lane: Lane, waitMs: number) =>
    createFairQueue({ ...limitWaits(waitMs), places: places[lane], headroom })
  return {
    intake: createFairQueue({ ...limitWaits(maxWaitMs), places: BEGIN_PER_TURN, holdsAreShort: true }),
    reads: create('reads', maxWaitMs),
    writes: create('writes', maxWaitMs),
    searches: create('searches', Math.max(maxWaitMs, SEARCH_TIMEOUT_MS)),
  }
}
