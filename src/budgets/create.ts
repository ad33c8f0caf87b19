import type { Sql } from '../platform/database/database.ts'
import type { Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem, takePlace } from '../platform/fairness/place.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { createLedger } from './ledger.ts'
import { createLimits } from './limits.ts'
import { createRedisCounter } from './redis-counter.ts'
import { createReplicaCounter } from './replica-counter.ts'
import { createRequestBudgets } from './service.ts'
import { findLimit } from './store.ts'
import { createWaiting } from './waiting.ts'

export interface BudgetOptions {
  sql: Sql
  lanes: Lanes
  metrics: Metrics
  /** Undefined if REDIS_URL is not set. */
  redis: Redis | undefined
  /** How many replicas share each limit while they do not count together. */
  budgetReplicas: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Connects the parts of this folder. */
export function openRequestBudgets({ sql, lanes, metrics, redis, budgetReplicas, now }: BudgetOptions) {
  const budgetMetrics = metrics.requestBudgets()
  const waiting = createWaiting()
  budgetMetrics.observeWaiting(waiting.count)
  return createRequestBudgets({
    limits: createLimits({
      now: () => performance.now(),
      read: async (teamId, agentId) => {
        const place = await takePlace(lanes.reads, { team: teamId })
        if ('refusal' in place) throw refusalProblem(place.refusal)
        return findLimit(sql, teamId, agentId).finally(place.release)
      },
    }),
    ledger: createLedger({
      shared: redis && createRedisCounter(redis, now),
      own: createReplicaCounter({
        ...{ replicas: budgetReplicas, now },
        nowUs: () => Math.floor(performance.now() * 1_000),
      }),
      metrics: budgetMetrics,
    }),
    ...{ waiting, metrics: budgetMetrics, now },
    countedBy: () => (redis?.isUp() ? 'redis' : 'replica'),
  })
}
