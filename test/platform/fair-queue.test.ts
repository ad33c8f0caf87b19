import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  createFairQueue,
  type FairQueueOptions,
  type QueueEntry,
} from '../../src/platform/fairness/fair-queue.ts'

describe('a fair queue', () => {
  let nowMs: number
  let events: string[]
  beforeEach(() => {
    nowMs = 0
    events = []
  })

  const create = (options: Partial<FairQueueOptions> = {}) =>
    createFairQueue({ places: 2, maxWaiting: 100, maxWaitMs: 500, now: () => nowMs, ...options })
  const entry = (name: string, key?: string): QueueEntry => ({
    team: name.charAt(0),
    key,
    onPlace: () => events.push(name),
    onRefusal: (cause) => events.push(`${name} ${cause}`),
  })
  /** Lets the queue give the places that were returned. */
  const settle = () => Promise.resolve()
  const enterAll = (queue: ReturnType<typeof create>, ...entries: QueueEntry[]) => {
    for (const one of entries) queue.enter(one)
    return entries
  }

  it('lets a team alone use all places', () => {
    const queue = create()
    enterAll(queue, entry('a1'), entry('a2'), entry('a3'))
    assert.deepEqual(events, ['a1', 'a2'])
    assert.deepEqual(queue.count(), { running: 2, waiting: 1 })
  })

  it('gives places to the waiting teams in turn', async () => {
    const queue = create({ places: 1 })
    const entries = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => entry(name))
    enterAll(queue, ...entries)
    while (queue.count().running > 0) {
      for (const one of entries) queue.release(one)
      await settle()
    }
    assert.deepEqual(events, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('runs one entry of a key at a time, and lets the entries behind it pass', async () => {
    const queue = create({ places: 3 })
    const [first, second] = enterAll(queue, entry('a1', 'k'), entry('a2', 'k'), entry('a3', 'k'))
    enterAll(queue, entry('a4', 'other'), entry('a5'))
    assert.deepEqual(events, ['a1', 'a4', 'a5'])
    queue.release(first as QueueEntry)
    await settle()
    queue.release(second as QueueEntry)
    await settle()
    assert.deepEqual(events, ['a1', 'a4', 'a5', 'a2', 'a3'])
  })

  it('does not let a team hold the key of another', () => {
    enterAll(create(), entry('a1', 'k'), entry('b1', 'k'))
    assert.deepEqual(events, ['a1', 'b1'])
  })

  it('gives a cancelled entry no place, and its key to the next entry', async () => {
    const queue = create({ places: 1 })
    const [running, cancelled] = enterAll(queue, entry('a1'), entry('a2', 'k'), entry('a3', 'k'))
    queue.cancel(cancelled as QueueEntry)
    queue.release(running as QueueEntry)
    await settle()
    assert.deepEqual(events, ['a1', 'a3'])
  })

  it('ignores a second release and a cancel of a running entry', async () => {
    const queue = create({ places: 1 })
    const [first] = enterAll(queue, entry('a1'), entry('a2'), entry('a3'))
    queue.cancel(first as QueueEntry)
    queue.release(first as QueueEntry)
    queue.release(first as QueueEntry)
    await settle()
    assert.deepEqual(events, ['a1', 'a2'])
    assert.deepEqual(queue.count(), { running: 1, waiting: 1 })
  })

  it('gives the place that an entry yields to other teams, and lets it wait for its next turn', async () => {
    const queue = create({ places: 1 })
    const [yielding, second, other] = enterAll(queue, entry('a1', 'k'), entry('a2', 'k'), entry('b1'))
    assert.equal(queue.yield(yielding as QueueEntry), true)
    await settle()
    assert.deepEqual(events, ['a1', 'b1'])
    // The entry has no place now: a release must not make room for another.
    queue.release(yielding as QueueEntry)
    await settle()
    assert.deepEqual(queue.count(), { running: 1, waiting: 2 })
    queue.release(other as QueueEntry)
    await settle()
    queue.release(second as QueueEntry)
    await settle()
    assert.deepEqual(events, ['a1', 'b1', 'a2', 'a1'])
  })

  it('lets an entry keep the place that no other entry needs', () => {
    const queue = create({ places: 1 })
    const [running] = enterAll(queue, entry('a1', 'k'))
    assert.equal(queue.yield(running as QueueEntry), false)
    assert.deepEqual(queue.count(), { running: 1, waiting: 0 })
    queue.release(running as QueueEntry)
    assert.equal(queue.yield(running as QueueEntry), false)
    assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
  })

  describe('that is full', () => {
    it('refuses a team that fills it', () => {
      const queue = create({ places: 1, maxWaiting: 2 })
      enterAll(queue, entry('a1'), entry('a2'), entry('a3'), entry('a4'))
      assert.deepEqual(events, ['a1', 'a4 own_share'])
      assert.equal(queue.refusal('a'), 'own_share')
    })

    it('takes an entry of another team in place of the oldest of the team with the most', async () => {
      const queue = create({ places: 1, maxWaiting: 2 })
      const [running] = enterAll(queue, entry('a1'), entry('a2'), entry('a3'))
      assert.equal(queue.refusal('b'), undefined)
      enterAll(queue, entry('b1'))
      queue.release(running as QueueEntry)
      await settle()
      assert.deepEqual(events, ['a1', 'a2 own_share', 'a3'])
      assert.deepEqual(queue.count(), { running: 1, waiting: 1 })
    })

    it('takes no entry of a new team in place of the only one of another', () => {
      const queue = create({ places: 1, maxWaiting: 2 })
      enterAll(queue, entry('a1'), entry('b1'), entry('c1'), entry('d1'))
      assert.deepEqual(events, ['a1', 'd1 overloaded'])
    })

    it('of as many entries of each team is overloaded', () => {
      const queue = create({ places: 2, maxWaiting: 2 })
      enterAll(queue, entry('a1'), entry('b1'), entry('a2'), entry('b2'), entry('a3'))
      assert.deepEqual(events, ['a1', 'b1', 'a3 overloaded'])
    })
  })

  describe('whose places are held for long', () => {
    /** Makes the average hold time about 100 ms. */
    const holdFor100Ms = (queue: ReturnType<typeof create>) => {
      for (let n = 0; n < 100; n++) {
        const held = entry('a')
        queue.enter(held)
        nowMs += 100
        queue.release(held)
      }
      events = []
    }

    it('refuses an entry that would wait too long in its turn, and not one of another team', () => {
      const queue = create()
      holdFor100Ms(queue)
      // 6 entries ahead × 100 ms / 2 places is longer than 250 ms.
      enterAll(queue, ...Array.from({ length: 9 }, (_, n) => entry(`a${n}`)))
      assert.deepEqual(events, ['a0', 'a1', 'a8 own_share'])
      enterAll(queue, entry('b1'))
      assert.deepEqual(queue.count(), { running: 2, waiting: 7 })
    })

    it('lets the only entry of a team wait for its turn, however many teams are before it', () => {
      const queue = create()
      holdFor100Ms(queue)
      // 26 entries ahead × 100 ms / 2 places is longer than the maximum wait.
      const others = Array.from({ length: 26 }, (_, n) => String.fromCharCode('b'.charCodeAt(0) + n))
      enterAll(queue, ...['b', 'b', ...others].map((team) => entry(`${team}1`)))
      events = []
      assert.equal(queue.refusal('a'), undefined)
      enterAll(queue, entry('a1'))
      assert.deepEqual(queue.count(), { running: 2, waiting: 27 })
      enterAll(queue, entry('a2'))
      assert.deepEqual(events, ['a2 overloaded'])
    })

    it('predicts nothing from what was held before it was idle', () => {
      const queue = create()
      holdFor100Ms(queue)
      nowMs += 501
      enterAll(queue, ...Array.from({ length: 9 }, (_, n) => entry(`a${n}`, n === 0 ? undefined : 'k')))
      assert.deepEqual(events, ['a0', 'a1'])
    })

    it('counts no place as held for longer than the maximum wait', () => {
      const queue = create()
      const [slow] = enterAll(queue, entry('a0')) as [QueueEntry]
      nowMs += 3_600_000
      queue.release(slow)
      // 3 entries ahead × 50 ms; that of an hour would be 1,000 s.
      enterAll(queue, ...Array.from({ length: 5 }, (_, n) => entry(`a${n + 1}`, 'k')))
      assert.deepEqual(events, ['a0', 'a1'])
    })

    it('refuses an entry that would wait too long for its key', () => {
      const queue = create({ places: 10 })
      holdFor100Ms(queue)
      // a1, a2 and a3 are ahead of a4.
      enterAll(queue, ...Array.from({ length: 5 }, (_, n) => entry(`a${n}`, 'k')), entry('a5', 'other'))
      assert.deepEqual(events, ['a0', 'a4 own_share', 'a5'])
    })

    it('refuses entries at once when no place came back for long', () => {
      const queue = create()
      enterAll(queue, entry('a1'), entry('a2'), entry('a3'))
      nowMs += 250
      assert.equal(queue.refusal('a'), undefined)
      nowMs += 1
      assert.equal(queue.refusal('a'), 'own_share')
      assert.equal(queue.refusal('b'), undefined)
    })

    it('does not do that where every place comes back soon', () => {
      const queue = create({ holdsAreShort: true })
      enterAll(queue, entry('a1'), entry('a2'), entry('a3'))
      nowMs += 1_000
      assert.equal(queue.refusal('a'), undefined)
    })

    it('hardly expects a pause of the process to happen again there', async () => {
      const queue = create({ holdsAreShort: true })
      const held = enterAll(queue, ...Array.from({ length: 12 }, (_, n) => entry(`a${n}`)))
      nowMs += 1_000
      for (const one of held) queue.release(one)
      await settle()
      assert.equal(queue.refusal('a'), undefined)
    })

    it('forgets the time when nothing ran', () => {
      const queue = create()
      nowMs += 1_000_000
      enterAll(queue, entry('a1'), entry('a2'), entry('a3'), entry('a4'), entry('a5'))
      assert.deepEqual(events, ['a1', 'a2'])
    })
  })

  it('refuses entries that have waited too long, and no others', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const tick = (ms: number) => {
      nowMs += ms
      t.mock.timers.tick(ms)
    }
    const queue = create({ places: 1 })
    enterAll(queue, entry('a1'), entry('a2'))
    tick(100)
    enterAll(queue, entry('b1'))
    tick(399)
    assert.deepEqual(events, ['a1'])
    tick(1)
    assert.deepEqual(events, ['a1', 'a2 own_share'])
    tick(99)
    assert.deepEqual(queue.count(), { running: 1, waiting: 1 })
    tick(1)
    assert.deepEqual(queue.count(), { running: 1, waiting: 0 })
  })

  it('lets the next entry of each team wait longer, because other teams hold the places', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const tick = (ms: number) => {
      nowMs += ms
      t.mock.timers.tick(ms)
    }
    const queue = create({ places: 1, maxTurnMs: 2_000 })
    enterAll(queue, entry('a1', 'k'), entry('a2', 'k'), entry('a3'), entry('b1'), entry('b2'))
    tick(499)
    assert.deepEqual(events, ['a1'])
    tick(1)
    assert.deepEqual(events, ['a1', 'a2 own_share', 'b2 overloaded'])
    enterAll(queue, entry('c1'))
    tick(1_499)
    assert.deepEqual(queue.count(), { running: 1, waiting: 3 })
    tick(1)
    assert.deepEqual(queue.count(), { running: 1, waiting: 1 })
    tick(500)
    assert.deepEqual(queue.count(), { running: 1, waiting: 0 })
  })
})
