import { Counter, Gauge, type Registry } from 'prom-client'
import type { CountedBy, Priority } from '../../contract/request-budget.ts'

/** `offline`: not connected. `breaker`: not asked, because the last calls failed. `slow`: no reply in time. */
export type RedisFailure = 'offline' | 'breaker' | 'slow' | 'failed'

export interface RedisMetrics {
  countFailure: (cause: RedisFailure) => void
  /** Reads the state at each scrape. */
  observe: (isUp: () => boolean) => void
}

export function createRedisMetrics(registry: Registry): RedisMetrics {
  const registers = [registry]
  const failures = new Counter({
    name: 'console_redis_failures_total',
    help: 'Calls of Redis without a reply that can be used, by cause: offline, breaker, slow or failed',
    labelNames: ['cause'],
    registers,
  })
  const up = new Gauge({
    name: 'console_redis_up',
    help: '1 while the process is connected to Redis and Redis responds in time',
    registers,
  })
  return {
    countFailure: (cause) => failures.inc({ cause }),
    observe: (isUp) => void Object.assign(up, { collect: () => up.set(isUp() ? 1 : 0) }),
  }
}

export interface BudgetMetrics {
  count: (outcome: 'granted' | 'refused', priority: Priority, countedBy: CountedBy, permits: number) => void
  countRefund: (permits: number) => void
  /** A call that was forwarded without a permit because the limit of its agent could not be read. */
  countUncounted: () => void
  observeWaiting: (count: () => number) => void
}

export function createBudgetMetrics(registry: Registry): BudgetMetrics {
  const registers = [registry]
  const permits = new Counter({
    name: 'console_request_budget_permits_total',
    help: 'Permits of request budgets that were asked for, by outcome, priority and who counted: redis or replica',
    labelNames: ['outcome', 'priority', 'counted_by'],
    registers,
  })
  const refunds = new Counter({
    name: 'console_request_budget_refunds_total',
    help: 'Permits that were given back because the request was not sent',
    registers,
  })
  const uncounted = new Counter({
    name: 'console_request_budget_uncounted_total',
    help: 'Calls of mounted operations that were forwarded without a permit because the limit of the agent could not be read',
    registers,
  })
  const waiting = new Gauge({
    name: 'console_request_budget_waiting',
    help: 'Requests that wait for permits',
    registers,
  })
  return {
    count: (outcome, priority, countedBy, count) =>
      permits.inc({ outcome, priority, counted_by: countedBy }, count),
    countRefund: (count) => refunds.inc(count),
    countUncounted: () => uncounted.inc(),
    observeWaiting: (count) => void Object.assign(waiting, { collect: () => waiting.set(count()) }),
  }
}
