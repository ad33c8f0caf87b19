import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { PRIORITIES } from '../../../src/api/fields.ts'
import {
  amountsOf,
  DECIDE_LUA,
  decide,
  permitsFor,
  policyOf,
  remainingAfter,
  shareOf,
  waitFor,
} from '../../../src/features/budgets/counters.ts'
import { RESERVED_PERCENT } from '../../../src/features/budgets/schema.ts'
import { createScript, runScript } from '../../../src/platform/redis/redis.ts'
import { useRedis } from '../../support/redis.ts'

type Policy = NonNullable<ReturnType<typeof policyOf>>

const policy = (limit: number) => policyOf(limit) as Policy

/** A time of today, in microseconds: more digits than a Lua number prints. */
const NOON_US = 1_795_000_000_000_000

const limit = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60_000_000 }))
const step = fc.record({
  afterUs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 5_000_000 }),
    fc.integer({ min: 0, max: 90_000_000 }),
  ),
  priority: fc.constantFrom(...PRIORITIES),
  /** 0 only looks, a negative one gives back. */
  count: fc.integer({ min: -3, max: 12 }),
  /** The limit changes with this step. */
  limit: fc.option(limit, { nil: undefined, freq: 8 }),
})
const history = fc.record({ limit, steps: fc.array(step, { minLength: 1, maxLength: 60 }) })

/** A bucket that leaks: another way to say the same, with exact numbers and without a stored time. */
class Bucket {
  level = 0n
  at = 0n

  change(
    now: bigint,
    of: Policy,
    reservedPercent: number,
    count: number,
  ): { isGranted: boolean; debtUs: number } {
    const drained = this.level - (now - this.at)
    this.level = drained > 0n ? drained : 0n
    this.at = now
    const interval = BigInt(of.intervalUs)
    const full = interval * BigInt(of.burst)
    if (this.level > full) this.level = full
    const after = this.level + interval * BigInt(count)
    const room = interval * BigInt(of.burst - Math.floor((of.burst * reservedPercent) / 100))
    const isGranted = count <= 0 || after <= room
    if (isGranted) this.level = after > 0n ? after : 0n
    return { isGranted, debtUs: Number(this.level) }
  }
}

describe('the arithmetic of request budgets', async () => {
  const redis = await useRedis()
  // The time comes from the test, so a key must not expire by the clock.
  const decideLua = DECIDE_LUA.replace(/'PX', .*\)/, "'PX', 3600000)")
  const script = createScript(`local now = tonumber(ARGV[4])\n${decideLua}return {granted and 1 or 0, debt}`)
  assert.notEqual(decideLua, DECIDE_LUA)
  let made = 0

  it('is the same in TypeScript, in Redis and in a model, also when the limit changes', () =>
    fc.assert(
      fc.asyncProperty(history, async ({ limit: first, steps }) => {
        const key = `${redis.prefix}${made++}`
        const bucket = new Bucket()
        let now = NOON_US
        let tat = 0
        let current = policy(first)
        for (const { afterUs, priority, count, limit: next } of steps) {
          now += afterUs
          if (next !== undefined) current = policy(next)
          const amounts = amountsOf(current, RESERVED_PERCENT[priority], count)
          const expected = bucket.change(BigInt(now), current, RESERVED_PERCENT[priority], count)
          const { tatUs, ...own } = decide(tat, now, amounts)
          tat = tatUs
          const { costUs, allowanceUs, capacityUs } = amounts
          const args = [costUs, allowanceUs, capacityUs, now].map(String)
          const [granted, debtUs] = (await runScript(redis.send, script, [key], args)) as number[]
          assert.deepEqual(own, expected)
          assert.deepEqual({ isGranted: granted === 1, debtUs }, expected)
        }
      }),
      { numRuns: 100 },
    ))

  it('grants at most the limit and the burst less one in any minute, at every limit', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(step, { maxLength: 400 }), (limited, steps) => {
        const of = policy(limited)
        const granted: number[] = []
        let [now, tat] = [NOON_US, 0]
        for (const { afterUs, priority, count } of steps) {
          now += Math.min(afterUs, 2_000_000)
          const wanted = Math.max(count, 1)
          const { isGranted, tatUs } = decide(tat, now, amountsOf(of, RESERVED_PERCENT[priority], wanted))
          tat = tatUs
          if (isGranted) granted.push(...Array.from({ length: wanted }, () => now))
        }
        for (const from of granted) {
          const inMinute = granted.filter((at) => at >= from && at < from + 60_000_000).length
          assert.ok(inMinute <= limited + of.burst - 1, `${inMinute} of ${limited}`)
        }
      }),
    ))

  it('says how long to wait: then the permits are granted, and not a microsecond before', () =>
    fc.assert(
      fc.property(
        limit,
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom(...PRIORITIES),
        (limited, wanted, priority) => {
          const of = policy(limited)
          const reserved = RESERVED_PERCENT[priority]
          const count = Math.min(wanted, permitsFor(of, reserved))
          const full = decide(0, NOON_US, amountsOf(of, 0, of.burst))
          assert.ok(full.isGranted)
          const amounts = amountsOf(of, reserved, count)
          const waitUs = waitFor(amounts, full.debtUs)
          assert.ok(!decide(full.tatUs, NOON_US + waitUs - 1, amounts).isGranted)
          assert.ok(decide(full.tatUs, NOON_US + waitUs, amounts).isGranted)
          assert.equal(remainingAfter(of, amounts, full.debtUs), 0)
        },
      ),
    ))

  it('has a burst of ten seconds and no limit above 60 million', () => {
    for (const [limited, intervalUs, burst] of [
      [1, 60_000_000, 1],
      [6, 10_000_000, 1],
      [7, 8_571_429, 2],
      [100, 600_000, 17],
      [600, 100_000, 100],
      [60_000_000, 1, 10_000_000],
    ] as const) {
      assert.deepEqual(policyOf(limited), { limit: limited, intervalUs, burst })
    }
    assert.equal(policyOf(60_000_001), undefined)
  })

  it('leaves part of the burst to higher priorities, and at least one permit to each', () => {
    const permits = (limited: number) =>
      PRIORITIES.map((name) => permitsFor(policy(limited), RESERVED_PERCENT[name]))
    assert.deepEqual(permits(600), [100, 100, 70, 40])
    assert.deepEqual(permits(30), [5, 5, 4, 2])
    assert.deepEqual(permits(1), [1, 1, 1, 1])
  })

  it('divides a limit among replicas', () => {
    assert.deepEqual(shareOf(policy(600), 4), { limit: 600, intervalUs: 400_000, burst: 25 })
    assert.deepEqual(shareOf(policy(1), 4), { limit: 1, intervalUs: 240_000_000, burst: 1 })
  })
})
