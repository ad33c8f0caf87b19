import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentLimits } from '../../../src/features/budgets/limits.ts'

const FRESH_MS = 10_000
const KEPT_MS = 3_600_000
const UNKNOWN_MS = 2_000
const MAX_AGENTS = 10_000

/** Limits with a clock and a database that the test sets. */
function create() {
  const clock = { ms: 1_000_000 }
  const stored = new Map<string, number>()
  const reads: string[] = []
  let outage: Error | undefined
  const read = async (_team: string, agent: string) => {
    reads.push(agent)
    if (outage) throw outage
    return stored.get(agent)
  }
  const limits = new AgentLimits(read, () => clock.ms)
  /** The cache reads the clock at most once a millisecond. Its timer was set before this one, so it ends before it. */
  const pass = async (ms: number) => {
    clock.ms += ms
    await sleep(2)
  }
  const find = (agent: string) => limits.find('team', agent)
  const fail = (error: Error | undefined) => {
    outage = error
  }
  return { pass, stored, reads, limits, find, fail }
}

describe('the limits that a replica remembers', () => {
  it('are read once for requests at the same time, and again when they are no longer fresh', async () => {
    const { pass, stored, reads, find } = create()
    stored.set('a', 60)
    assert.deepEqual(await Promise.all([find('a'), find('a'), find('a')]), [60, 60, 60])
    stored.set('a', 120)
    await pass(FRESH_MS - 1)
    assert.equal(await find('a'), 60)
    assert.equal(reads.length, 1)
    await pass(1)
    assert.equal(await find('a'), 120)
  })

  it('are forgotten with the event of the agent, also while they are being read', async () => {
    const { stored, limits, find } = create()
    stored.set('a', 60)
    await find('a')
    stored.set('a', 120)
    limits.forget('team', 'a')
    const reading = find('a')
    stored.set('a', 180)
    limits.forget('team', 'a')
    assert.equal(await reading, 120)
    assert.equal(await find('a'), 180)
    assert.equal(await find('b'), undefined)
    stored.set('b', 60)
    limits.forget('team', 'b')
    assert.equal(await find('b'), 60)
  })

  it('are used for an hour while the database fails, and those that are not known are not', async () => {
    const { pass, stored, find, fail } = create()
    stored.set('a', 60)
    await find('a')
    const down = new Error('down')
    fail(down)
    await pass(KEPT_MS - 1)
    assert.equal(await find('a'), 60)
    await assert.rejects(find('b'), down)
    await pass(2)
    await assert.rejects(find('a'), down)
  })

  it('are those of a bounded number of agents, and ids that do not exist push none of them out', async () => {
    const { stored, reads, find } = create()
    const agents = Array.from({ length: MAX_AGENTS }, (_, n) => `agent ${n}`)
    for (const agent of agents) stored.set(agent, 60)
    await Promise.all(agents.map(find))
    await Promise.all(Array.from({ length: 1_001 }, (_, n) => find(`none ${n}`)))
    reads.length = 0
    assert.equal(await find('agent 0'), 60)
    assert.deepEqual(reads, [])
    stored.set('one more', 60)
    await find('one more')
    assert.equal(await find('agent 0'), 60)
    await find('agent 1')
    assert.deepEqual(reads, ['one more', 'agent 1'], 'the least used one was forgotten')
    await find('none 0')
    await find('none 1000')
    assert.deepEqual(reads.slice(2), ['none 0'])
  })

  it('are looked for again soon if there was none', async () => {
    const { pass, stored, reads, find } = create()
    await find('a')
    stored.set('a', 60)
    await pass(UNKNOWN_MS - 1)
    assert.equal(await find('a'), undefined)
    assert.equal(reads.length, 1)
    await pass(2)
    assert.equal(await find('a'), 60)
  })

  it('are those of the team', async () => {
    const { stored, limits, reads } = create()
    stored.set('a', 60)
    await limits.find('one', 'a')
    await limits.find('other', 'a')
    assert.equal(reads.length, 2)
  })
})
