import type { CountedBy } from '../contract/request-budget.ts'
import type { Amounts, Decision, Policy } from '../platform/redis/gcra.ts'

/** The budget of an agent. */
export interface Budget {
  readonly teamId: string
  readonly agentId: string
  readonly policy: Policy
}

/** What is taken, looked at or given back. */
export interface Change {
  readonly amounts: Amounts
  readonly count: number
  /** Undefined: it does not count as use. */
  readonly source: { readonly text: string; readonly other: string } | undefined
}

/** Permits by source, one entry for each bucket of time. */
export type Counts = [source: string, permits: number][]

/** Counts the permits of budgets: for all replicas, or for this one. Undefined if it cannot. */
export interface Counter {
  readonly countedBy: CountedBy
  /** The part of a budget that it gives out. */
  policyOf: (budget: Budget) => Policy
  change: (budget: Budget, change: Change) => Promise<Decision | undefined>
  readUse: (budget: Budget) => Promise<Counts | undefined>
}
