import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Budget } from '../../src/budgets/counter.ts'
import { createReplicaCounter } from '../../src/budgets/replica-counter.ts'
import { amountsOf, policyOf } from '../../src/platform/redis/gcra.ts'

const MAX_AGENTS = 10_000
const MAX_SOURCES = 100
const HOUR_MS = 3_600_000

/** A counter with a clock that the test sets. */
function create(replicas = 1) {
  const clock = { ms: 1_795_000_000_000 }
  const counter = createReplicaCounter({
    replicas,
    now: () => clock.ms,
    nowUs: () => clock.ms * 1_000,
  })
  const budgetOf = (agentId: string, limit = 600): Budget => ({
    ...{ teamId: 'team', agentId, policy: policyOf(limit) as Budget['policy'] },
  })
  const take = async (budget: Budget, count: number, text = 'source') => {
    const amounts = amountsOf(counter.policyOf(budget), 0, count)
    const decision = await counter.change(budget, { amounts, count, source: { text, other: 'others' } })
    return decision?.isGranted
  }
  return { clock, counter, budgetOf, take }
}

describe('a replica that counts by itself', () => {
  it('grants its share of the burst, and after that its share of the limit', async () => {
    const { clock, budgetOf, take } = create(4)
    const budget = budgetOf('a')
    assert.deepEqual(
      [await take(budget, 26), await take(budget, 25), await take(budget, 1)],
      [false, true, false],
    )
    clock.ms += 399
    assert.equal(await take(budget, 1), false)
    clock.ms += 1
    assert.equal(await take(budget, 1), true)
  })

  it('starts with the debt that Redis counted', async () => {
    const { counter, budgetOf, take } = create()
    const budget = budgetOf('a')
    counter.adopt(budget, budget.policy.intervalUs * 99)
    assert.deepEqual([await take(budget, 2), await take(budget, 1)], [false, true])
  })

  it('keeps the state of a bounded number of agents', async () => {
    const { budgetOf, take } = create()
    const first = budgetOf('first')
    await take(first, 100)
    assert.equal(await take(first, 100), false)
    const others = Array.from({ length: MAX_AGENTS - 1 }, (_, n) => budgetOf(`${n}`))
    await Promise.all(others.map((other) => take(other, 1)))
    assert.equal(await take(first, 100), false)
    await Promise.all(others.map((other) => take(other, 1)))
    await take(budgetOf('one more'), 1)
    assert.equal(await take(first, 100), true, 'it was forgotten')
  })

  it('shows the use of the last hour, by a bounded number of sources', async () => {
    const { clock, counter, budgetOf, take } = create()
    const budget = budgetOf('a', 60_000)
    for (let n = 0; n < MAX_SOURCES + 5; n++) await take(budget, 1, `source ${n}`)
    await take(budget, 1, 'source 0')
    const use = (await counter.readUse(budget)) ?? []
    assert.equal(use.length, MAX_SOURCES + 1)
    assert.deepEqual([new Map(use).get('source 0'), new Map(use).get('others')], [2, 5])
    clock.ms += HOUR_MS
    await take(budget, 1, 'later')
    clock.ms += 300_000
    assert.deepEqual(await counter.readUse(budget), [['later', 1]])
  })
})
