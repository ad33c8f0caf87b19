import { LRUCache } from 'lru-cache'
import { decide, shareOf } from '../platform/redis/gcra.ts'
import type { Budget, Counter, Counts } from './counter.ts'
import { bucketOf, MAX_SOURCES, recentBuckets } from './use.ts'

export interface ReplicaCounter extends Counter {
  /** Takes over the debt that Redis counted, so that a replica that loses Redis does not grant another burst. */
  adopt: (budget: Budget, debtUs: number) => void
}

export interface ReplicaCounterOptions {
  /** How many replicas share each limit. */
  replicas: number
  /** Milliseconds since the epoch. */
  now: () => number
  /** Microseconds on a clock that never goes back. */
  nowUs: () => number
}

/** Agents whose state is kept. One that is forgotten gets its whole burst again. */
const MAX_AGENTS = 10_000
const MAX_AGENTS_WITH_USE = 1_000

/** Counts the share of this replica, in its memory. */
export function createReplicaCounter({ replicas, now, nowUs }: ReplicaCounterOptions): ReplicaCounter {
  const times = new LRUCache<string, number>({ max: MAX_AGENTS })
  /** By agent, then by bucket, then by source. */
  const use = new LRUCache<string, Map<number, Map<string, number>>>({ max: MAX_AGENTS_WITH_USE })

  const countUse = (key: string, { text, other }: { text: string; other: string }, count: number) => {
    const buckets = use.get(key) ?? new Map<number, Map<string, number>>()
    use.set(key, buckets)
    const recent = recentBuckets(now())
    for (const bucket of buckets.keys()) if (!recent.includes(bucket)) buckets.delete(bucket)
    const bucket = bucketOf(now())
    const sources = buckets.get(bucket) ?? new Map<string, number>()
    buckets.set(bucket, sources)
    const source = sources.has(text) || sources.size < MAX_SOURCES ? text : other
    sources.set(source, (sources.get(source) ?? 0) + count)
  }

  return {
    countedBy: 'replica',
    policyOf: ({ policy }) => shareOf(policy, replicas),
    change: async (budget, { amounts, count, source }) => {
      const key = keyOf(budget)
      const { isGranted, debtUs, tatUs } = decide(times.get(key) ?? 0, nowUs(), amounts)
      times.set(key, tatUs)
      if (isGranted && source) countUse(key, source, count)
      return { isGranted, debtUs }
    },
    readUse: async (budget) => {
      const recent = recentBuckets(now())
      const buckets = use.get(keyOf(budget)) ?? new Map<number, Map<string, number>>()
      return [...buckets].flatMap(
        ([bucket, sources]): Counts => (recent.includes(bucket) ? [...sources] : []),
      )
    },
    adopt: (budget, debtUs) => void times.set(keyOf(budget), nowUs() + debtUs),
  }
}

const keyOf = ({ teamId, agentId }: Budget) => `${teamId}:${agentId}`
