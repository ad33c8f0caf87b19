import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { QueueEntry } from '../../src/platform/fairness/fair-queue.ts'
import { createLanes } from '../../src/platform/fairness/lanes.ts'
import { createTurns } from '../../src/platform/fairness/turns.ts'
import { COLLECTION, createAgent, getAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

describe('a bulk request at the database', async () => {
  const running = await useConsole({
    environment: { DATABASE_POOL_SIZE: '4' },
  })
  const queue = running.deps.lanes.writes
  const person = await running.person()
  const createAgents = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await createAgent(running, person)).id))
  const purposes = (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await getAgent(running, person, id)).body.purpose))

  /** Keeps the agents from being changed until `release`. */
  const lock = async (ids: string[]) => {
    const client = new Client({ connectionString: running.database.url })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM agents WHERE id = ANY ($1) FOR UPDATE', [ids])
    return { release: () => client.end() }
  }
  const send = ({ token }: Person, ids: string[], signal: AbortSignal) =>
    fetch(`${running.url}${COLLECTION}/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agents: ids.map((id) => ({ id })), update: { purpose: 'new' } }),
      signal,
    })

  it('gives its places to other teams between two agents', async () => {
    const ids = await createAgents(20)
    const blocker = await lock(ids.slice(0, 2))
    const reply = send(person, ids, AbortSignal.timeout(30_000))
    await until('it waits for the first two agents', () => queue.count().running === 2)
    const events: string[] = []
    const waiters = Array.from(
      { length: 2 },
      (): QueueEntry => ({
        team: randomUUID(),
        onPlace: () => events.push('place'),
        onRefusal: () => events.push('refusal'),
      }),
    )
    for (const waiter of waiters) queue.enter(waiter)
    await blocker.release()
    await until('the others have their places', () => events.length === 2)
    assert.deepEqual(events, ['place', 'place'])
    assert.ok((await purposes(ids)).filter((purpose) => purpose === 'new').length < ids.length)
    for (const waiter of waiters) queue.release(waiter)
    const { counts } = (await (await reply).json()) as { counts: { changed: number } }
    assert.equal(counts.changed, ids.length)
    assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
  })

  it('stops between two agents when its client disconnects', async () => {
    const ids = await createAgents(20)
    const blocker = await lock(ids.slice(0, 2))
    const leaving = new AbortController()
    let isClosed = false
    running.app.server.once('request', (_, response) => response.once('close', () => (isClosed = true)))
    const reply = send(person, ids, leaving.signal).catch((error: Error) => error.name)
    await until('it waits for the first two agents', () => queue.count().running === 2)
    leaving.abort()
    assert.equal(await reply, 'AbortError')
    await until('the console has noticed', () => isClosed)
    await blocker.release()
    await until('its places are free', () => queue.count().running === 0)
    assert.deepEqual(
      (await purposes(ids)).map((purpose) => purpose === 'new'),
      ids.map((_, n) => n < 2),
    )
  })

  it('ends in time: the agents that are left are not changed', async () => {
    const lanes = createLanes({ poolSize: 4, maxWaitMs: 10, maxUtilization: 1 })
    const { signal } = new AbortController()
    const options = { lanes, team: 'team', signal }
    let runs = 0
    const work = async () => void runs++
    const inTime = createTurns({ ...options, isClosing: () => false })
    await inTime.take('writes', work)
    for (const late of [
      createTurns({ ...options, isClosing: () => true }),
      createTurns({ ...options, isClosing: () => false, maxMs: -1 }),
    ]) {
      await assert.rejects(late.take('writes', work), { code: 'overloaded' })
    }
    assert.equal(runs, 1)
    // While no place is free, it tries again until the time is over.
    for (let n = 0; n < 2; n++) occupy(lanes.writes)
    const waiting = createTurns({ ...options, isClosing: () => false, maxMs: 50 })
    await assert.rejects(waiting.take('writes', work), { code: 'overloaded' })
    assert.equal(runs, 1)
  })
})

function occupy(queue: { enter: (entry: QueueEntry) => void }): void {
  queue.enter({ team: 'other', onPlace: () => {}, onRefusal: () => {} })
}
