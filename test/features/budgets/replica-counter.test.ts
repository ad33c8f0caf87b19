import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountsOf, type Budget, policyOf, ReplicaCounter } from '../../../src/features/budgets/counters.ts'

const MAX_AGENTS = 10_000

/** A counter with a clock that the test sets. */
function create(replicas = 1) {
  const clock = { ms: 1_795_000_000_000 }
  const counter = new ReplicaCounter(replicas, () => clock.ms * 1_000)
  const policy = policyOf(600) as Budget['policy']
  const budgetOf = (agentId: string): Budget => ({ teamId: 'team', agentId, policy })
  const take = (budget: Budget, count: number) =>
    counter.change(budget, amountsOf(counter.policyOf(budget), 0, count)).isGranted
  return { clock, counter, budgetOf, take }
}

describe('a replica that counts by itself', () => {
  it('grants its share of the burst, and after that its share of the limit', () => {
    const { clock, budgetOf, take } = create(4)
    const budget = budgetOf('a')
    assert.deepEqual([take(budget, 26), take(budget, 25), take(budget, 1)], [false, true, false])
    clock.ms += 399
    assert.equal(take(budget, 1), false)
    clock.ms += 1
    assert.equal(take(budget, 1), true)
  })

  it('starts with the debt that Redis counted', () => {
    const { counter, budgetOf, take } = create()
    const budget = budgetOf('a')
    counter.adopt(budget, budget.policy.intervalUs * 99)
    assert.deepEqual([take(budget, 2), take(budget, 1)], [false, true])
  })

  it('keeps the state of a bounded number of agents', () => {
    const { budgetOf, take } = create()
    const first = budgetOf('first')
    take(first, 100)
    assert.equal(take(first, 100), false)
    const others = Array.from({ length: MAX_AGENTS - 1 }, (_, n) => budgetOf(`${n}`))
    for (const other of others) take(other, 1)
    assert.equal(take(first, 100), false)
    for (const other of others) take(other, 1)
    take(budgetOf('one more'), 1)
    assert.equal(take(first, 100), true, 'it was forgotten')
  })
})
