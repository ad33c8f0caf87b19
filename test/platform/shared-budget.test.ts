import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSharedBudget } from '../../src/platform/fairness/shared-budget.ts'

describe('a shared budget', () => {
  it('lets a team hold as much as remains free', () => {
    const budget = createSharedBudget(12)
    assert.equal(budget.take('a', 6), undefined)
    assert.equal(budget.take('a', 1), 'own_share')
    assert.equal(budget.take('b', 3), undefined)
    budget.give('a', 6)
    assert.equal(budget.take('b', 3), undefined)
  })

  it('blames a team only for more than its share', () => {
    const budget = createSharedBudget(100)
    for (const [team, amount] of Object.entries({ a: 45, b: 27, c: 14, d: 1 }))
      assert.equal(budget.take(team, amount), undefined)
    assert.equal(budget.take('d', 13), 'overloaded')
    assert.equal(budget.take('b', 13), 'own_share')
    assert.equal(budget.take('e', 14), 'overloaded')
  })
})
