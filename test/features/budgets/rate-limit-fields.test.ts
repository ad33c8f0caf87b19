import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateLimitFields, toSeconds } from '../../../src/features/budgets/budgets.ts'
import { policyOf } from '../../../src/features/budgets/counters.ts'

describe('the times of a request budget in headers', () => {
  it('are whole seconds, never less than the wait and never 0', () => {
    for (const [us, seconds] of [
      [0, 1],
      [1, 1],
      [1_000_000, 1],
      [1_000_001, 2],
      [8_571_429, 9],
      [240_000_000, 240],
    ] as const) {
      assert.equal(toSeconds(us), seconds, `${us} µs`)
    }
  })

  it('are the same in RateLimit, which has none while a replica counts alone', () => {
    const policy = policyOf(7) as NonNullable<ReturnType<typeof policyOf>>
    const state = { remaining: 0, waitUs: 8_571_429 }
    assert.deepEqual(rateLimitFields(policy, { ...state, countedBy: 'redis' }), {
      'ratelimit-policy': '"agent";q=7;w=60;console-burst=2',
      ratelimit: '"agent";r=0;t=9',
    })
    assert.equal(rateLimitFields(policy, { ...state, countedBy: 'replica' })['ratelimit'], '"agent";r=0')
  })
})
