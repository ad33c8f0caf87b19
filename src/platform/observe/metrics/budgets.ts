import type { CountedBy, Priority } from '../../../contract/request-budget.ts'
import type { Factory } from './factory.ts'

export type BudgetMetrics = ReturnType<typeof createBudgetMetrics>

export function createBudgetMetrics(create: Factory) {
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
  return {
    count: (outcome: 'granted' | 'refused', priority: Priority, countedBy: CountedBy, count: number) =>
      permits.inc({ outcome, priority, counted_by: countedBy }, count),
    countRefund: (count: number) => refunds.inc(count),
    /** A call that was forwarded without a permit because the limit of its agent could not be read. */
    countUncounted: () => uncounted.inc(),
  }
}
