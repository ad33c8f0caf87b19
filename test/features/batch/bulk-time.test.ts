import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { Caller } from '../../../src/api/caller.ts'
import type { Problem } from '../../../src/api/problem.ts'
import { type Batch, runBatch } from '../../../src/features/batch/run-batch.ts'
import { COLLECTION, createAgent, getAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import { placesTaken } from '../../support/places.ts'
import { until } from '../../support/until.ts'

describe('a bulk request', async () => {
  const running = await useConsole({ environment: { DATABASE_POOL_SIZE: '4' } })
  const person = await running.person()

  it('stops between two agents when its client disconnects', async () => {
    const create = async () => (await createAgent(running, person)).id
    const ids = await Promise.all(Array.from({ length: 20 }, create))
    const blocker = new Client({ connectionString: running.database.url })
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM agents WHERE id = ANY ($1) FOR UPDATE', [ids.slice(0, 2)])
    const leaving = new AbortController()
    let isClosed = false
    running.app.server.once('request', (_, response) => response.once('close', () => (isClosed = true)))
    const reply = fetch(`${running.url}${COLLECTION}/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agents: ids.map((id) => ({ id })), update: { purpose: 'new' } }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name)
    await until(
      'it waits for the first two agents',
      async () => (await placesTaken(running, 'requests')) === 2,
    )
    leaving.abort()
    assert.equal(await reply, 'AbortError')
    await until('the console has noticed', () => isClosed)
    await blocker.end()
    await until('its places are free', async () => (await placesTaken(running, 'requests')) === 0)
    const purposes = await Promise.all(
      ids.map(async (id) => (await getAgent(running, person, id)).body.purpose),
    )
    assert.deepEqual(
      purposes.map((purpose) => purpose === 'new'),
      ids.map((_, n) => n < 2),
    )
  })

  it('ends in time: the agents that are left are not changed', async () => {
    const caller: Caller = {
      userId: person.user,
      teamId: person.team,
      requestId: 'r',
      name: null,
      clientId: null,
      via: 'api',
      permissions: new Set(),
    }
    const { signal } = new AbortController()
    const run = async (shutdown: { hasBegun: boolean }, maxMs?: number) => {
      const applied: number[] = []
      const batch: Batch<number, { error: { code: string } | null }> = {
        readItems: async () => [1, 2, 3],
        agentOf: () => undefined,
        apply: async (item) => {
          applied.push(item)
          if (item === 1) shutdown.hasBegun = true
          return { error: null }
        },
        done: () => ({ error: null }),
        failed: (_, error) => ({ error: error as Problem }),
      }
      const core = { ...running.core, shutdown }
      const recordRefusal = async () => {}
      const context = { core, caller, key: undefined, signal, log: core.log, recordRefusal }
      const results = await runBatch(context, batch, maxMs)
      return [applied, results.map(({ error }) => error?.code)]
    }
    assert.deepEqual(await run({ hasBegun: false }, -1), [[], ['overloaded', 'overloaded', 'overloaded']])
    const [applied, codes] = await run({ hasBegun: false })
    assert.deepEqual([applied, codes], [[1], [undefined, 'overloaded', 'overloaded']])
  })
})
