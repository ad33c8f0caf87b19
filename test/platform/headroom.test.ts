import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  type QueueEntry,
} from '../../src/platform/fairness/fair-queue.ts'
import { createHeadroom } from '../../src/platform/fairness/headroom.ts'
import { createLanes } from '../../src/platform/fairness/lanes.ts'
import { createUtilization } from '../../src/platform/fairness/utilization.ts'
import { until } from '../support/until.ts'

/** Keeps the thread busy. */
function work(forMs: number): void {
  const endAt = performance.now() + forMs
  while (performance.now() < endAt);
}

describe('headroom for the other teams', () => {
  let nowMs = 0
  let busy = 0
  beforeEach(() => {
    nowMs = 0
    busy = 1
  })
  const create = () => createHeadroom({ maxUtilization: 0.5, utilization: () => busy, now: () => nowMs })
  /** Each team has held places for so many milliseconds. */
  const hold = (headroom: ReturnType<typeof create>, times: Record<string, number>) => {
    for (const [team, heldMs] of Object.entries(times)) headroom.count(team, heldMs)
  }

  it('lets a team alone use a busy replica', () => {
    const headroom = create()
    hold(headroom, { a: 1_000 })
    assert.equal(headroom.limit('a', 8), 8)
  })

  it('limits a team that held places for more than three quarters of the time, and no other team', () => {
    const headroom = create()
    hold(headroom, { a: 75, b: 15, c: 10 })
    assert.equal(headroom.limit('a', 8), 8)
    hold(headroom, { a: 1 })
    assert.equal(headroom.limit('a', 8), 0)
    for (const team of ['b', 'c', 'new']) assert.equal(headroom.limit(team, 8), 8)
  })

  it('limits it the more, the busier the replica is', () => {
    const headroom = create()
    hold(headroom, { a: 100, b: 1 })
    const limits = [0, 0.1, 0.25, 0.45, 0.5, 0.9].map((utilization) => {
      busy = utilization
      return headroom.limit('a', 8)
    })
    assert.deepEqual(limits, [8, 7, 4, 1, 0, 0])
  })

  it('forgets what was more than two seconds ago', () => {
    const headroom = create()
    hold(headroom, { a: 100, b: 1 })
    nowMs = 1_000
    hold(headroom, { a: 100 })
    assert.equal(headroom.limit('a', 8), 0, 'team b held a place in the last period')
    nowMs = 2_000
    hold(headroom, { a: 100 })
    assert.equal(headroom.limit('a', 8), 8, 'team a is alone')
    hold(headroom, { b: 1 })
    nowMs = 4_000
    hold(headroom, { a: 1 })
    assert.equal(headroom.limit('a', 8), 8, 'nobody held a place for a whole period')
  })
})

describe('a fair queue with headroom', () => {
  /** How many places each team may hold; absent: all. */
  let limits: Record<string, number>
  let events: string[]
  let nowMs: number
  beforeEach(() => {
    nowMs = 0
    limits = {}
    events = []
  })
  const create = (options: Partial<FairQueueOptions> = {}) =>
    createFairQueue({
      ...{ places: 2, maxWaiting: 100, maxWaitMs: 10_000 },
      headroom: { count: () => {}, limit: (team, places) => limits[team] ?? places },
      now: () => nowMs,
      ...options,
    })
  const entry = (name: string): QueueEntry => ({
    team: name.charAt(0),
    onPlace: () => events.push(name),
    onRefusal: (cause) => events.push(`${name} ${cause}`),
  })
  /** Lets the queue give the places that are free. */
  const settle = () => Promise.resolve()

  it('lets other teams pass a team that must wait, and goes on with it as soon as it may', async () => {
    limits = { a: 0 }
    const queue = create()
    for (const name of ['a1', 'a2', 'b1']) queue.enter(entry(name))
    await settle()
    assert.deepEqual(events, ['b1'])
    assert.equal(queue.refusal('b'), undefined)
    limits = { a: 1 }
    await until('team a has a place', () => events.length > 1)
    assert.deepEqual(events, ['b1', 'a1'])
    assert.deepEqual(queue.count(), { running: 2, waiting: 1 })
  })

  it('does not refuse an entry of a team that must wait for the time in which places were free', async () => {
    limits = { a: 0 }
    const queue = create({ maxWaitMs: 100 })
    nowMs = 1_000
    const waiting = ['a1', 'a2', 'a3'].map(entry)
    queue.enter(waiting[0] as QueueEntry)
    queue.enter(waiting[1] as QueueEntry)
    await settle()
    queue.enter(entry('b1'))
    nowMs = 2_000
    queue.enter(waiting[2] as QueueEntry)
    assert.deepEqual(events, ['b1'])
    for (const one of waiting) queue.cancel(one)
  })

  it('gives a team no more places than it may hold, and its next one when it returns one', async () => {
    limits = { a: 1 }
    const queue = create()
    const first = entry('a1')
    for (const one of [first, entry('a2'), entry('b1')]) queue.enter(one)
    await settle()
    assert.deepEqual(events, ['a1', 'b1'])
    queue.release(first)
    await settle()
    assert.deepEqual(events, ['a1', 'b1', 'a2'])
  })

  it('gives a team that must wait a place every 10 ms, beside those that it holds', async () => {
    limits = { a: 0 }
    const queue = create()
    for (const name of ['a1', 'a2', 'a3']) queue.enter(entry(name))
    await settle()
    assert.deepEqual(events, [])
    nowMs = 10
    await until('the first has a place', () => events.length > 0)
    nowMs = 20
    await until('the second has a place', () => events.length > 1)
    assert.deepEqual(events, ['a1', 'a2'])
  })

  it('lets no later entry of a team that must wait overtake an earlier one', async () => {
    limits = { a: 0 }
    const queue = create()
    queue.enter(entry('a1'))
    await settle()
    limits = {}
    queue.enter(entry('a2'))
    await until('both have a place', () => events.length > 1)
    assert.deepEqual(events, ['a1', 'a2'])
  })

  it('forgets an entry that leaves while its team must wait', async () => {
    limits = { a: 0 }
    const queue = create()
    const left = entry('a1')
    queue.enter(left)
    await settle()
    queue.cancel(left)
    assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
    limits = {}
    queue.enter(entry('a2'))
    assert.deepEqual(events, ['a2'])
  })

  it('refuses at once what a team that must wait would wait for too long, and blames that team', async () => {
    limits = { a: 0 }
    const queue = create({ places: 100, maxWaitMs: 100 })
    for (let n = 0; n < 40; n++) queue.enter(entry(`a${n}`))
    for (let n = 1; n <= 20; n++) {
      nowMs = 3 * n
      limits = { a: n }
      await until('the next one has a place', () => events.length === n)
      limits = { a: 0 }
    }
    assert.equal(queue.refusal('a'), 'own_share')
    for (let n = 0; n < 3; n++) queue.enter(entry('b'))
    assert.equal(queue.refusal('a'), 'own_share')
    assert.equal(queue.refusal('b'), undefined)
  })
})

describe('the lanes', () => {
  const use = (queue: FairQueue, team: string, forMs: number) => {
    const entry = { team, onPlace: () => work(forMs), onRefusal: () => assert.fail('there is a place') }
    queue.enter(entry)
    queue.release(entry)
  }
  /** Whether a team gets a place at once after it has kept the thread busy with requests of another lane. */
  const servesAtOnce = (maxUtilization: number) => {
    const lanes = createLanes({ poolSize: 16, maxWaitMs: 1_000, maxUtilization })
    use(lanes.writes, 'b', 1)
    // So long that A dominates even if the machine delays the work of B.
    use(lanes.reads, 'a', 100)
    let isServed = false
    lanes.writes.enter({ team: 'a', onPlace: () => (isServed = true), onRefusal: () => {} })
    return isServed
  }

  it('count together how much a team uses the thread', () => {
    assert.equal(servesAtOnce(0.5), false)
    assert.equal(servesAtOnce(1), true)
  })
})

describe('the utilization of a thread', () => {
  it('rises while it computes, and falls while it waits', async () => {
    const utilization = createUtilization()
    work(50)
    assert.ok(utilization() > 0.9)
    await until('it has waited for most of the time', () => utilization() < 0.5)
  })
})
