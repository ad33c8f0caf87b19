import type { Caller } from '../../api/caller.ts'
import { PRIORITIES, type Priority } from '../../api/fields.ts'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Factory } from '../../platform/observe/metrics.ts'
import type { Redis } from '../../platform/redis/redis.ts'
import {
  amountsOf,
  type Budget,
  type Decision,
  type Policy,
  permitsFor,
  policyOf,
  RedisCounter,
  ReplicaCounter,
  remainingAfter,
  waitFor,
} from './counters.ts'
import { AgentLimits, readLimit } from './limits.ts'
import {
  type CountedBy,
  type PermitGrant,
  type PermitRequest,
  RESERVED_PERCENT,
  type RequestBudget,
} from './schema.ts'

/** A call of a mounted operation that names its agent. */
interface AgentCall {
  teamId: string
  agentId: string
  priority: Priority
}

interface Taken {
  countedBy: CountedBy
  /** Permits that are left at the same priority. */
  remaining: number
  /** For the response. */
  headers: Record<string, string>
  /** The request was not sent: gives the permits back. Returns at once. */
  refund: () => void
}

/** How often the services behind the console may call each agent. Counts for all replicas, and the share of this
 * replica while that is not possible: an outage of Redis must not stop the services, nor remove the limits. */
export class RequestBudgets {
  readonly #redis: Redis | undefined
  readonly #shared: RedisCounter | undefined
  readonly #own: ReplicaCounter
  readonly #limits: AgentLimits
  readonly #metrics: ReturnType<typeof createBudgetMetrics>

  constructor({ config, database, metrics, redis }: Core) {
    this.#redis = redis
    this.#shared = redis && new RedisCounter(redis)
    this.#own = new ReplicaCounter(config.budgetReplicas, () => Math.floor(performance.now() * 1_000))
    this.#limits = new AgentLimits(
      (teamId, agentId) => readLimit(database.of(teamId), teamId, agentId),
      () => performance.now(),
    )
    this.#metrics = metrics.of(createBudgetMetrics)
  }

  /** Who counts at the moment. */
  countedBy(): CountedBy {
    return this.#redis?.isUp() ? 'redis' : 'replica'
  }

  /** The agent has changed. */
  forget(teamId: string, agentId: string): void {
    this.#limits.forget(teamId, agentId)
  }

  /** Takes permits for a client, all or none. */
  async take(
    caller: Caller,
    agentId: string,
    { count, priority }: PermitRequest,
  ): Promise<{ grant: PermitGrant; headers: Record<string, string> }> {
    const policy = policyOf(await this.#findLimit(caller, agentId))
    if (!policy) {
      return { grant: { granted: count, remaining: null, counted_by: this.countedBy() }, headers: {} }
    }
    const most = permitsFor(policy, RESERVED_PERCENT[priority])
    if (count > most) throw tooMany(most)
    const budget = { teamId: caller.teamId, agentId, policy }
    const { remaining, countedBy, headers } = await this.#takeFrom(budget, priority, count)
    return { grant: { granted: count, remaining, counted_by: countedBy }, headers }
  }

  /** Takes a permit for a call of a mounted operation. Undefined if the agent has no limit or is not an agent of the
   * team: the service decides what to do with the call. */
  async takeForCall({ teamId, agentId, priority }: AgentCall): Promise<Taken | undefined> {
    const limit = await this.#limits.find(teamId, agentId).catch(() => {
      // An outage of the database does not stop forwarding.
      this.#metrics.uncounted.inc()
      return undefined
    })
    const policy = limit === undefined ? undefined : policyOf(limit)
    return policy && this.#takeFrom({ teamId, agentId, policy }, priority, 1)
  }

  async read(caller: Caller, agentId: string): Promise<RequestBudget> {
    const limit = await this.#findLimit(caller, agentId)
    const known = { agent_id: agentId, limit }
    const policy = policyOf(limit)
    if (!policy) return { ...known, burst: null, remaining: null, counted_by: this.countedBy() }
    const budget = { teamId: caller.teamId, agentId, policy }
    const { counter, decision } = await this.#change(budget, 0, 0)
    const share = counter.policyOf(budget)
    const left = PRIORITIES.map((priority) => {
      const amounts = amountsOf(share, RESERVED_PERCENT[priority], 0)
      return [priority, remainingAfter(share, amounts, decision.debtUs)]
    })
    const remaining = Object.fromEntries(left) as Record<Priority, number>
    return { ...known, burst: policy.burst, remaining, counted_by: counter.countedBy }
  }

  async #findLimit({ teamId }: Caller, agentId: string): Promise<number> {
    const limit = await this.#limits.find(teamId, agentId)
    if (limit === undefined) throw new Problem('agent_not_found')
    return limit
  }

  async #takeFrom(budget: Budget, priority: Priority, count: number): Promise<Taken> {
    const reserved = RESERVED_PERCENT[priority]
    const { counter, decision } = await this.#change(budget, reserved, count)
    const { isGranted, debtUs } = decision
    const { countedBy } = counter
    const outcome = isGranted ? 'granted' : 'refused'
    this.#metrics.permits.inc({ outcome, priority, counted_by: countedBy }, count)
    const share = counter.policyOf(budget)
    const amounts = (permits: number) => amountsOf(share, reserved, permits)
    const remaining = remainingAfter(share, amounts(count), debtUs)
    // Until the permits can be taken; if they were, until there is one more.
    const waitUs = waitFor(amounts(isGranted ? remaining + 1 : count), debtUs)
    const headers = rateLimitFields(budget.policy, { remaining, waitUs, countedBy })
    if (!isGranted) {
      throw new Problem('request_budget_exceeded', {
        headers: { 'retry-after': String(toSeconds(waitUs)), ...headers },
      })
    }
    const refund = () => {
      this.#metrics.refunds.inc(count)
      void counter.change(budget, amounts(-count))
    }
    return { countedBy, remaining, headers, refund }
  }

  async #change(
    budget: Budget,
    reservedPercent: number,
    count: number,
  ): Promise<{ counter: RedisCounter | ReplicaCounter; decision: Decision }> {
    const amountsFor = (counter: RedisCounter | ReplicaCounter) =>
      amountsOf(counter.policyOf(budget), reservedPercent, count)
    const [shared, own] = [this.#shared, this.#own]
    const decision = await shared?.change(budget, amountsFor(shared))
    if (!shared || !decision) return { counter: own, decision: own.change(budget, amountsFor(own)) }
    own.adopt(budget, decision.debtUs)
    return { counter: shared, decision }
  }
}

/** The fields RateLimit-Policy and RateLimit of the IETF draft draft-ietf-httpapi-ratelimit-headers, which are lists of
 * RFC 9651. Without `t`, this replica counts alone and does not know when the other replicas will have permits. */
export function rateLimitFields(
  { limit, burst }: Policy,
  { remaining, waitUs, countedBy }: { remaining: number; waitUs: number; countedBy: CountedBy },
): Record<string, string> {
  const reset = countedBy === 'redis' ? `;t=${toSeconds(waitUs)}` : ''
  return {
    'ratelimit-policy': `"agent";q=${limit};w=60;console-burst=${burst}`,
    ratelimit: `"agent";r=${remaining}${reset}`,
  }
}

/** Retry-After and `t` are whole seconds. Both are rounded in the same way, because they must agree. */
export function toSeconds(us: number): number {
  return Math.max(1, Math.ceil(us / 1e6))
}

function tooMany(most: number): RequestValidationError {
  const msg = `Value error, the burst of this agent has ${most} permit${most === 1 ? '' : 's'} at this priority`
  return new RequestValidationError([{ loc: ['body', 'count'], msg, type: 'value_error' }])
}

export function createBudgetMetrics(create: Factory) {
  return {
    permits: create.counter(
      'console_request_budget_permits_total',
      'Permits of request budgets that were asked for, by outcome, priority and who counted: redis or replica',
      ['outcome', 'priority', 'counted_by'],
    ),
    refunds: create.counter(
      'console_request_budget_refunds_total',
      'Permits that were given back because the request was not sent',
    ),
    uncounted: create.counter(
      'console_request_budget_uncounted_total',
      'Calls of mounted operations that were forwarded without a permit because the limit of the agent could not be ' +
        'read',
    ),
  }
}
