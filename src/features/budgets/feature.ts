import type { Core, Feature } from '../../core.ts'
import { RequestBudgets } from './budgets.ts'
import { requestBudgetRoutes } from './routes.ts'
import { REQUEST_BUDGET_SCHEMAS } from './schema.ts'

export type { RequestBudgets } from './budgets.ts'

export interface BudgetFeature extends Feature {
  budgets: RequestBudgets
}

/** Request budgets: how often the services behind the console may call an agent. */
export function budgetFeature(core: Core): BudgetFeature {
  const budgets = new RequestBudgets(core)
  return {
    budgets,
    schemas: REQUEST_BUDGET_SCHEMAS,
    routes: (app) => requestBudgetRoutes(app, { budgets }),
  }
}
