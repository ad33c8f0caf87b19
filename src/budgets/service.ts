import { Problem } from '../contract/problem.ts'
import {
  type PermitGrant,
  type PermitRequest,
  type Priority,
  RESERVED_PERCENT,
  type RequestBudget,
} from '../contract/request-budget.ts'
import { RequestValidationError } from '../contract/validation-error.ts'
import type { Caller } from '../platform/identity/identity.ts'
import type { BudgetMetrics } from '../platform/observe/metrics/budgets.ts'
import { permitsFor, policyOf } from '../platform/redis/gcra.ts'
import type { Budget } from './counter.ts'
import type { Ledger, Take, Taken } from './ledger.ts'
import type { Limits } from './limits.ts'
import { rateLimitFields, toSeconds } from './rate-limit-fields.ts'
import { recentBuckets } from './use.ts'
import type { Waiting } from './waiting.ts'

export interface RequestBudgetsDeps {
  limits: Limits
  ledger: Ledger
  waiting: Waiting
  metrics: BudgetMetrics
  /** Milliseconds since the epoch. */
  now: () => number
  /** Who counts at the moment. */
  countedBy: () => RequestBudget['counted_by']
}

/** A call of a mounted operation that names its agent. */
export interface AgentCall {
  teamId: string
  agentId: string
  service: string
  priority: Priority
}

export interface CallPermit {
  /** For the response. */
  headers: Record<string, string>
  /** The call was not sent. */
  refund: () => void
}

export type RequestBudgets = ReturnType<typeof createRequestBudgets>

export function createRequestBudgets(deps: RequestBudgetsDeps) {
  const { limits, ledger, waiting, metrics, now, countedBy } = deps

  const findLimit = async ({ teamId }: Caller, agentId: string) => {
    const limit = await limits.find(teamId, agentId)
    if (limit === undefined) throw new Problem('agent_not_found')
    return limit
  }

  const takeWithin = async (budget: Budget, take: Take, maxWaitMs: number, signal: AbortSignal) => {
    const { teamId, agentId } = budget
    const key = `${teamId}:${agentId}:${take.priority}`
    // The permits that come back belong to those that wait already.
    const first = maxWaitMs > 0 && waiting.hasQueue(key) ? undefined : await ledger.take(budget, take)
    if (first && (first.isGranted || maxWaitMs * 1_000 < first.waitUs)) return first
    const waited = await waiting.until({
      ...{ team: teamId, key, maxWaitMs, signal },
      firstAfterMs: (first?.waitUs ?? 0) / 1_000,
      attempt: async () => {
        const taken = await ledger.take(budget, take)
        return { result: taken, retryAfterMs: taken.isGranted ? undefined : taken.waitUs / 1_000 }
      },
    })
    return waited ?? first ?? ledger.take(budget, take)
  }

  return {
    /** Takes permits for a client. `signal`: the client has disconnected. */
    async take(
      caller: Caller,
      agentId: string,
      { count, priority, max_wait_ms: maxWaitMs = 0 }: PermitRequest,
      signal: AbortSignal,
    ): Promise<{ grant: PermitGrant; headers: Record<string, string> }> {
      const policy = policyOf(await findLimit(caller, agentId))
      if (!policy) return { grant: { granted: count, remaining: null, counted_by: countedBy() }, headers: {} }
      const most = permitsFor(policy, RESERVED_PERCENT[priority])
      if (count > most) throw tooMany(most)
      const source = { service: null, clientId: caller.clientId }
      const budget = { teamId: caller.teamId, agentId, policy }
      const taken = await takeWithin(budget, { count, priority, source }, maxWaitMs, signal)
      if (!taken.isGranted) throw exceeded(budget, taken)
      if (signal.aborted) taken.refund()
      return {
        grant: { granted: count, remaining: taken.remaining, counted_by: taken.countedBy },
        headers: rateLimitFields(policy, taken),
      }
    },

    /** Takes a permit for a call of a mounted operation. Undefined if the agent has no limit or is not an agent of the team: the
     * service decides what to do with the call. */
    async takeForCall({ teamId, agentId, service, priority }: AgentCall): Promise<CallPermit | undefined> {
      const limit = await limits.find(teamId, agentId).catch(() => {
        // An outage of the database does not stop forwarding.
        metrics.countUncounted()
        return undefined
      })
      const policy = limit === undefined ? undefined : policyOf(limit)
      if (!policy) return undefined
      const budget = { teamId, agentId, policy }
      const taken = await ledger.take(budget, { priority, count: 1, source: { service, clientId: null } })
      if (!taken.isGranted) throw exceeded(budget, taken)
      return { headers: rateLimitFields(policy, taken), refund: taken.refund }
    },

    async read(caller: Caller, agentId: string): Promise<RequestBudget> {
      const limit = await findLimit(caller, agentId)
      const policy = policyOf(limit)
      const known = { agent_id: agentId, limit, use_since: recentBuckets(now())[0] as number }
      if (!policy) return { ...known, burst: null, remaining: null, counted_by: countedBy(), use: [] }
      const state = await ledger.read({ teamId: caller.teamId, agentId, policy })
      const { remaining, use } = state
      return { ...known, burst: policy.burst, remaining, counted_by: state.countedBy, use }
    },

    forget: limits.forget,
    countedBy,
    close: waiting.close,
  }
}

function exceeded({ policy }: Budget, taken: Taken): Problem {
  const headers = { 'retry-after': String(toSeconds(taken.waitUs)), ...rateLimitFields(policy, taken) }
  return new Problem('request_budget_exceeded', { headers })
}

function tooMany(most: number): RequestValidationError {
  const msg = `Value error, the burst of this agent has ${most} permit${most === 1 ? '' : 's'} at this priority`
  return new RequestValidationError([{ loc: ['body', 'count'], msg, type: 'value_error' }])
}
