import { LRUCache } from 'lru-cache'
import { createScript, type Redis } from '../../platform/redis/redis.ts'

/** The generic cell rate algorithm (GCRA), in TypeScript and in Lua for Redis. The state of a budget is one time, the
 * theoretical arrival time (TAT): each permit moves it by the time between two permits. How far it is ahead of now is
 * the debt. Both languages only compare and add the amounts that `amountsOf` computes, in whole microseconds. */

export interface Policy {
  /** Requests per minute. */
  readonly limit: number
  /** The time between two permits at this limit, in microseconds, rounded up. */
  readonly intervalUs: number
  /** Permits that can be taken at once. */
  readonly burst: number
}

export interface Amounts {
  /** What the permits add to the debt. 0 only looks; a negative amount gives permits back. */
  readonly costUs: number
  /** The largest debt after the permits were taken. */
  readonly allowanceUs: number
  /** The largest debt at all. A larger one comes from another limit and is cut to this one. */
  readonly capacityUs: number
}

export interface Decision {
  readonly isGranted: boolean
  /** After the decision. */
  readonly debtUs: number
}

const MINUTE_US = 60_000_000
/** The burst is a sixth of the limit: ten seconds' worth. */
const BURSTS_PER_MINUTE = 6

/** Undefined for a limit that is none: the interval would be less than a microsecond. */
export function policyOf(limit: number): Policy | undefined {
  if (limit > MINUTE_US) return undefined
  return {
    limit,
    intervalUs: Math.ceil(MINUTE_US / limit),
    burst: Math.max(1, Math.ceil(limit / BURSTS_PER_MINUTE)),
  }
}

/** What one of several replicas may grant by itself. Each has a burst of at least 1. */
export function shareOf({ limit, intervalUs, burst }: Policy, replicas: number): Policy {
  return {
    limit,
    intervalUs: intervalUs * replicas,
    burst: Math.max(1, Math.floor(burst / replicas)),
  }
}

/** The permits that a priority can take at once. Rounded so that at least one is left. */
export function permitsFor({ burst }: Policy, reservedPercent: number): number {
  return burst - Math.floor((burst * reservedPercent) / 100)
}

export function amountsOf(policy: Policy, reservedPercent: number, count: number): Amounts {
  const { intervalUs, burst } = policy
  return {
    costUs: intervalUs * count,
    allowanceUs: intervalUs * permitsFor(policy, reservedPercent),
    capacityUs: intervalUs * burst,
  }
}

/** Permits that are left at the priority of these amounts. */
export function remainingAfter({ intervalUs }: Policy, { allowanceUs }: Amounts, debtUs: number): number {
  return Math.max(0, Math.floor((allowanceUs - debtUs) / intervalUs))
}

/** How long until the amounts can be taken, if nothing else is. */
export function waitFor({ costUs, allowanceUs }: Amounts, debtUs: number): number {
  return Math.max(0, debtUs + costUs - allowanceUs)
}

/** Decides on a stored TAT; 0 if there is none. */
export function decide(
  tatUs: number,
  nowUs: number,
  { costUs, allowanceUs, capacityUs }: Amounts,
): Decision & { tatUs: number } {
  const debtUs = Math.min(Math.max(tatUs - nowUs, 0), capacityUs)
  const isGranted = costUs <= 0 || debtUs + costUs <= allowanceUs
  const after = isGranted ? Math.max(debtUs + costUs, 0) : debtUs
  return { isGranted, debtUs: after, tatUs: nowUs + after }
}

/** How long Redis keeps a TAT that is no longer ahead of now. */
const MARGIN_MS = 1_000

/** The same as `decide` for the TAT in `KEYS[1]`, with the amounts in `ARGV`. Needs `now` in microseconds; sets
 * `granted` and `debt`. A Lua number is a double, and its usual text has an exponent. */
export const DECIDE_LUA = `
local cost, allowance, capacity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local stored = math.max(tonumber(redis.call('GET', KEYS[1]) or 0) - now, 0)
local debt = math.min(stored, capacity)
local granted = cost <= 0 or debt + cost <= allowance
if granted then debt = math.max(debt + cost, 0) end
if debt ~= stored then
  redis.call('SET', KEYS[1], string.format('%.0f', now + debt), 'PX', math.ceil(debt / 1000) + ${MARGIN_MS})
end
`

/** The clock of Redis: those of the replicas differ. */
export const NOW_LUA = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`

/** The budget of an agent. */
export interface Budget {
  readonly teamId: string
  readonly agentId: string
  readonly policy: Policy
}

/** KEYS: the TAT. ARGV: cost, allowance, capacity. */
const CHANGE = createScript(`${NOW_LUA}${DECIDE_LUA}return {granted and 1 or 0, debt}`)

/** Counts for all replicas. */
export class RedisCounter {
  readonly countedBy = 'redis'
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** The part of a budget that it gives out. */
  policyOf({ policy }: Budget): Policy {
    return policy
  }

  /** Takes permits, looks at the budget or gives permits back. Undefined if Redis does not respond. */
  async change({ teamId, agentId }: Budget, amounts: Amounts): Promise<Decision | undefined> {
    const { costUs, allowanceUs, capacityUs } = amounts
    // The braces keep all keys of an agent on one node of a cluster.
    const key = `budget:{${teamId}:${agentId}}`
    const reply = await this.#redis.run(CHANGE, [key], [costUs, allowanceUs, capacityUs])
    return reply && { isGranted: reply[0] === 1, debtUs: Number(reply[1]) }
  }
}

/** Agents whose state is kept. One that is forgotten gets its whole burst again. */
const MAX_AGENTS = 10_000

/** Counts the share of this replica, in its memory. */
export class ReplicaCounter {
  readonly countedBy = 'replica'
  readonly #replicas: number
  readonly #nowUs: () => number
  readonly #times = new LRUCache<string, number>({ max: MAX_AGENTS })

  /** `nowUs`: microseconds on a clock that never goes back. */
  constructor(replicas: number, nowUs: () => number) {
    this.#replicas = replicas
    this.#nowUs = nowUs
  }

  policyOf({ policy }: Budget): Policy {
    return shareOf(policy, this.#replicas)
  }

  change(budget: Budget, amounts: Amounts): Decision {
    const key = keyOf(budget)
    const { isGranted, debtUs, tatUs } = decide(this.#times.get(key) ?? 0, this.#nowUs(), amounts)
    this.#times.set(key, tatUs)
    return { isGranted, debtUs }
  }

  /** Takes over the debt that Redis counted, so that a replica that loses Redis does not grant another burst. */
  adopt(budget: Budget, debtUs: number): void {
    this.#times.set(keyOf(budget), this.#nowUs() + debtUs)
  }
}

const keyOf = ({ teamId, agentId }: Budget) => `${teamId}:${agentId}`
