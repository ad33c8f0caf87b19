import { LRUCache } from 'lru-cache'
import type { CountedBy } from '../contract/request-budget.ts'
import {
  type Amounts,
  DECIDE_LUA,
  type Decision,
  decide,
  NOW_LUA,
  type Policy,
  shareOf,
} from '../platform/redis/gcra.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { createScript } from '../platform/redis/script.ts'

/** The budget of an agent. */
export interface Budget {
  readonly teamId: string
  readonly agentId: string
  readonly policy: Policy
}

export interface Counter<Result> {
  readonly countedBy: CountedBy
  /** The part of a budget that it gives out. */
  policyOf: (budget: Budget) => Policy
  /** Takes permits, looks at the budget or gives permits back. */
  change: (budget: Budget, amounts: Amounts) => Result
}

/** Undefined if Redis does not respond. */
export type RedisCounter = Counter<Promise<Decision | undefined>>

export interface ReplicaCounter extends Counter<Decision> {
  /** Takes over the debt that Redis counted, so that a replica that loses Redis does not grant another burst. */
  adopt: (budget: Budget, debtUs: number) => void
}

/** KEYS: the TAT. ARGV: cost, allowance, capacity. */
const CHANGE = createScript(`${NOW_LUA}${DECIDE_LUA}return {granted and 1 or 0, debt}`)

/** Counts for all replicas. */
export function createRedisCounter(redis: Redis): RedisCounter {
  return {
    countedBy: 'redis',
    policyOf: ({ policy }) => policy,
    change: async ({ teamId, agentId }, { costUs, allowanceUs, capacityUs }) => {
      // The braces keep all keys of an agent on one node of a cluster.
      const key = `budget:{${teamId}:${agentId}}`
      const reply = await redis.run(CHANGE, [key], [costUs, allowanceUs, capacityUs])
      return reply && { isGranted: reply[0] === 1, debtUs: Number(reply[1]) }
    },
  }
}

/** Agents whose state is kept. One that is forgotten gets its whole burst again. */
const MAX_AGENTS = 10_000

/** Counts the share of this replica, in its memory. `nowUs`: microseconds on a clock that never goes back. */
export function createReplicaCounter(replicas: number, nowUs: () => number): ReplicaCounter {
  const times = new LRUCache<string, number>({ max: MAX_AGENTS })
  const keyOf = ({ teamId, agentId }: Budget) => `${teamId}:${agentId}`
  return {
    countedBy: 'replica',
    policyOf: ({ policy }) => shareOf(policy, replicas),
    change: (budget, amounts) => {
      const key = keyOf(budget)
      const { isGranted, debtUs, tatUs } = decide(times.get(key) ?? 0, nowUs(), amounts)
      times.set(key, tatUs)
      return { isGranted, debtUs }
    },
    adopt: (budget, debtUs) => void times.set(keyOf(budget), nowUs() + debtUs),
  }
}
