import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Refusal } from '../../src/platform/limits/share.ts'
import { Turns } from '../../src/platform/limits/turns.ts'

describe('turns', () => {
  // The timer of the turns does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  after(() => clearInterval(alive))

  const create = (places: number, maxWaitMs = 60_000) => {
    const log: string[] = []
    const refusals: Refusal[] = []
    let counts = () => ({ taken: 0, waiting: 0 })
    const turns = new Turns({
      places,
      maxWaitMs,
      metrics: {
        observeWait: () => {},
        countRefusal: (refusal) => refusals.push(refusal),
        observeCounts: (read) => (counts = read),
      },
    })
    const enter = (team: string, name = team) => {
      const turn = turns.enter(team)
      if (!turn) return log.push(name)
      return turn.then(
        () => log.push(name),
        ({ code }: { code: string }) => log.push(`${name} ${code}`),
      )
    }
    return { turns, enter, log, refusals, counts: () => counts() }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('give a team at once what is free, up to three quarters', () => {
    const { enter, log, counts } = create(8)
    for (let n = 0; n < 8; n++) void enter('a')
    assert.equal(log.length, 6)
    void enter('b')
    void enter('c')
    assert.deepEqual(log.slice(6), ['b', 'c'])
    assert.deepEqual(counts(), { taken: 8, waiting: 2 })
  })

  it('go to the teams in turn, and within a team in order', async () => {
    const { turns, enter, log } = create(4)
    for (const team of ['a', 'a', 'a', 'b']) void enter(team)
    log.length = 0
    for (const [team, name] of ['a1', 'a2', 'b1', 'c1', 'b2'].map((name) => [name.charAt(0), name] as const))
      void enter(team, name)
    for (const team of ['a', 'a', 'b', 'a', 'a']) {
      turns.leave(team)
      await settled()
    }
    assert.deepEqual(log, ['a1', 'b1', 'c1', 'a2', 'b2'])
  })

  it('pass by a team that holds three quarters', async () => {
    const { turns, enter, log } = create(4)
    for (const team of ['a', 'a', 'a', 'b']) void enter(team)
    log.length = 0
    void enter('a', 'late a')
    void enter('c')
    turns.leave('b')
    await settled()
    assert.deepEqual(log, ['c'])
  })

  it('refuse who waits too long: with 429 a team above its share, else with 503', async () => {
    const { turns, enter, log, refusals } = create(4, 20)
    for (const team of ['a', 'a', 'a', 'b']) void enter(team)
    log.length = 0
    await Promise.all([enter('a'), enter('b'), enter('c')])
    assert.deepEqual(log, ['a too_many_requests', 'b overloaded', 'c overloaded'])
    assert.deepEqual(refusals, ['own_share', 'overloaded', 'overloaded'])
    for (const team of ['a', 'a', 'a', 'b']) turns.leave(team)
    assert.equal(turns.enter('a'), undefined)
  })

  it('refuse at once a team that fills half of the queue, and none that waits alone', async () => {
    const { turns, enter, log } = create(1)
    void enter('a')
    log.length = 0
    for (let n = 0; n < 2_049; n++) void enter('a')
    void enter('b')
    await settled()
    assert.deepEqual(log, ['a too_many_requests'])
    turns.leave('a')
    await settled()
    turns.leave('a')
    await settled()
    assert.deepEqual(log, ['a too_many_requests', 'a', 'b'])
  })

  it('lose and invent no place, whatever teams do', async () => {
    const step = fc.record({ team: fc.constantFrom('a', 'b', 'c', 'd'), enters: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(step, { maxLength: 200 }),
        async (places, steps) => {
          const { turns, counts } = create(places)
          const held = new Map<string, number>()
          let waiting = 0
          const most = Math.max(1, Math.floor((places * 3) / 4))
          const take = (team: string) => held.set(team, (held.get(team) ?? 0) + 1)
          for (const { team, enters } of steps) {
            if (enters) {
              const turn = turns.enter(team)
              if (!turn) take(team)
              else {
                waiting++
                void turn.then(() => (waiting--, take(team)))
              }
            } else if ((held.get(team) ?? 0) > 0) {
              held.set(team, (held.get(team) ?? 0) - 1)
              turns.leave(team)
            }
            await settled()
            const total = [...held.values()].reduce((sum, count) => sum + count, 0)
            assert.deepEqual(counts(), { taken: total, waiting })
            assert.ok(total <= places && [...held.values()].every((count) => count <= most))
          }
          for (let left = places + steps.length; left > 0; left--) {
            const team = [...held].find(([, count]) => count > 0)?.[0]
            if (team === undefined) break
            held.set(team, (held.get(team) ?? 0) - 1)
            turns.leave(team)
            await settled()
          }
          assert.deepEqual(counts(), { taken: 0, waiting: 0 })
        },
      ),
      { numRuns: 50 },
    )
  })
})
