import {
  type BudgetUse,
  type CountedBy,
  PRIORITIES,
  type Priority,
  RESERVED_PERCENT,
} from '../contract/request-budget.ts'
import type { BudgetMetrics } from '../platform/observe/metrics/budgets.ts'
import { amountsOf, type Decision, remainingAfter, waitFor } from '../platform/redis/gcra.ts'
import type { Budget, Change, Counter } from './counter.ts'
import type { ReplicaCounter } from './replica-counter.ts'
import { otherSources, type Source, sourceText, toUse } from './use.ts'

/** Permits to take. */
export interface Take {
  readonly priority: Priority
  readonly count: number
  readonly source: Source
}

export interface Taken {
  readonly isGranted: boolean
  readonly countedBy: CountedBy
  /** Permits that are left at the same priority. */
  readonly remaining: number
  /** How long until the permits can be taken; if they were, until there is one more. */
  readonly waitUs: number
  /** Gives the permits back, because they were not used. Returns at once. */
  refund: () => void
}

export interface Ledger {
  take: (budget: Budget, take: Take) => Promise<Taken>
  read: (budget: Budget) => Promise<{
    countedBy: CountedBy
    remaining: Record<Priority, number>
    use: BudgetUse[]
  }>
}

export interface LedgerOptions {
  /** Undefined if REDIS_URL is not set. */
  shared: Counter | undefined
  own: ReplicaCounter
  metrics: BudgetMetrics
}

/** Counts for all replicas, and the share of this replica while that is not possible: an outage of Redis must not stop the
 * services, nor remove the limits. */
export function createLedger({ shared, own, metrics }: LedgerOptions): Ledger {
  const change = async (budget: Budget, changeOf: (counter: Counter) => Change) => {
    const decision = await shared?.change(budget, changeOf(shared))
    if (!shared || !decision) {
      return { counter: own, decision: (await own.change(budget, changeOf(own))) as Decision }
    }
    own.adopt(budget, decision.debtUs)
    return { counter: shared, decision }
  }

  return {
    take: async (budget, { priority, count, source }) => {
      const counted = { text: sourceText(priority, source), other: otherSources(priority) }
      const changeBy = (counter: Counter, permits: number): Change => ({
        amounts: amountsOf(counter.policyOf(budget), RESERVED_PERCENT[priority], permits),
        ...{ count: permits, source: counted },
      })
      const { counter, decision } = await change(budget, (each) => changeBy(each, count))
      const { isGranted, debtUs } = decision
      const policy = counter.policyOf(budget)
      const amounts = (permits: number) => amountsOf(policy, RESERVED_PERCENT[priority], permits)
      const remaining = remainingAfter(policy, amounts(count), debtUs)
      metrics.count(isGranted ? 'granted' : 'refused', priority, counter.countedBy, count)
      return {
        ...{ isGranted, countedBy: counter.countedBy, remaining },
        waitUs: waitFor(amounts(isGranted ? remaining + 1 : count), debtUs),
        refund: () => {
          metrics.countRefund(count)
          void counter.change(budget, changeBy(counter, -count))
        },
      }
    },

    read: async (budget) => {
      const look = (counter: Counter) => ({
        ...{ amounts: amountsOf(counter.policyOf(budget), 0, 0), count: 0, source: undefined },
      })
      const { counter, decision } = await change(budget, look)
      const policy = counter.policyOf(budget)
      const left = PRIORITIES.map((priority) => {
        const amounts = amountsOf(policy, RESERVED_PERCENT[priority], 0)
        return [priority, remainingAfter(policy, amounts, decision.debtUs)]
      })
      // Redis may have failed since.
      const use = await counter.readUse(budget)
      return {
        countedBy: use ? counter.countedBy : own.countedBy,
        remaining: Object.fromEntries(left) as Record<Priority, number>,
        use: toUse(use ?? (await own.readUse(budget)) ?? []),
      }
    },
  }
}
