import type { CountedBy, Priority } from '../../../contract/request-budget.ts'
import { type Factory, onScrape } from './factory.ts'

export interface BudgetMetrics {
  count: (outcome: 'granted' | 'refused', priority: Priority, countedBy: CountedBy, permits: number) => void
  countRefund: (permits: number) => void
  /** A call that was forwarded without a permit because the limit of its agent could not be read. */
  countUncounted: () => void
  observeWaiting: (count: () => number) => void
}

export function createBudgetMetrics(create: Factory): BudgetMetrics {
  const permits = create.counter(
    'console_request_budget_permits_total',
    'Permits of request budgets that were asked for, by outcome, priority and who counted: redis or replica',
    ['outcome', 'priority', 'counted_by'],
  )
  const refunds = create.counter(
    'console_request_budget_refunds_total',
    'Permits that were given back because the request was not sent',
  )
  const uncounted = create.counter(
    'console_request_budget_uncounted_total',
    'Calls of mounted operations that were forwarded without a permit because the limit of the agent could not be read',
  )
  const waiting = create.gauge('console_request_budget_waiting', 'Requests that wait for permits')
  return {
    count: (outcome, priority, countedBy, count) =>
      permits.inc({ outcome, priority, counted_by: countedBy }, count),
    countRefund: (count) => refunds.inc(count),
    countUncounted: () => uncounted.inc(),
    observeWaiting: (count) => onScrape(waiting, () => waiting.set(count())),
  }
}
