import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createClient } from '@redis/client'
import { RequestBudgets } from '../../src/features/budgets/budgets.ts'
import { amountsOf, DECIDE_LUA, NOW_LUA, policyOf } from '../../src/features/budgets/counters.ts'
import { createMetrics } from '../../src/platform/observe/metrics.ts'
import { createScript, runScript } from '../../src/platform/redis/redis.ts'
import { createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { useRedis } from '../support/redis.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'

/** Of each kind, in all rounds together. */
const PERMITS = sized(2_000, 5_000)
const ROUNDS = 20
const IN_FLIGHT = 10
const LIMIT = 60_000_000

interface Cost {
  cpuUs: number
  ms: number
}

describe('a permit of a mounted call', async () => {
  const redis = await useRedis()
  const running = await useConsole({ environment: redis.environment })
  const person = await running.person()
  const { id } = await createAgent(running, person, { rate_limit_requests_per_minute: LIMIT })
  const { core } = running
  const budgets = new RequestBudgets({ ...core, metrics: createMetrics() })
  await until('Redis responds', () => core.redis?.isUp() ?? false)

  it('costs at most three times a bare call of a script of Redis', async () => {
    const client = createClient({ url: redis.environment['REDIS_URL'] ?? '' })
    await client.connect()
    const script = createScript(`${NOW_LUA}${DECIDE_LUA}return {granted and 1 or 0, debt}`)
    const policy = policyOf(LIMIT)
    assert.ok(policy)
    const { costUs, allowanceUs, capacityUs } = amountsOf(policy, 0, 1)
    const args = [costUs, allowanceUs, capacityUs].map(String)
    const key = `${redis.prefix}bare:${randomUUID()}`
    const bare = () => runScript((command) => client.sendCommand(command), script, [key], args)
    const call = { teamId: person.team, agentId: id, priority: 'interactive' } as const
    const permit = () => budgets.takeForCall(call)

    const costs = { bare: [] as Cost[], permit: [] as Cost[] }
    // In short turns, so that the rest of the machine's work falls on both; the first is for warming up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [kind, work] of Object.entries({ bare, permit })) {
        const cost = await measure(work)
        if (round > 0) costs[kind as keyof typeof costs].push(cost)
      }
    }
    client.destroy()
    const median = (kind: keyof typeof costs, figure: keyof Cost) =>
      quantile(
        costs[kind].map((cost) => cost[figure]),
        0.5,
      )
    const ratio = median('permit', 'cpuUs') / median('bare', 'cpuUs')
    process.stdout.write(
      `a permit takes ${median('permit', 'cpuUs').toFixed(0)} µs of processor and ${median('permit', 'ms').toFixed(2)} ms, a bare call of a ` +
        `script ${median('bare', 'cpuUs').toFixed(0)} µs and ${median('bare', 'ms').toFixed(2)} ms: ${ratio.toFixed(2)} times the processor\n`,
    )
    assert.ok(ratio <= 3 * SLACK, `${ratio} times`)
  })
})

/** Processor time of this process for each, and how long each took, with some in flight. */
async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const count = Math.ceil(PERMITS / ROUNDS)
  const times: number[] = []
  let left = count
  const before = process.cpuUsage()
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) {
        const startedAt = performance.now()
        await work()
        times.push(performance.now() - startedAt)
      }
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return { cpuUs: (user + system) / count, ms: quantile(times, 0.5) }
}
