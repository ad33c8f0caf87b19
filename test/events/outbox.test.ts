import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createLog } from '../../src/platform/log.ts'
import { createOutbox, type Outbox, type OutboxBatch } from '../../src/platform/outbox.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

describe('the outbox', () => {
  let database: TestDatabase
  let one: Outbox
  let other: Outbox
  const log = createLog('silent')

  before(async () => {
    database = await createTestDatabase()
    one = createOutbox(database.url, log)
    other = createOutbox(database.url, log)
  })
  after(async () => {
    await Promise.all([one.close(), other.close()])
    await database.drop()
  })
  beforeEach(() => database.query('DELETE FROM outbox'))

  const write = (agentId: string, revision: number) =>
    database.query(
      `INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
       VALUES ($1, $2::uuid, $3::bigint, $2::text || ':' || $3::text, 'updated', '{"fields": []}')`,
      [randomUUID(), agentId, revision],
    )

  it('is given to one at a time, and to the next when the first is done', async () => {
    await write(randomUUID(), 1)
    const batch = (await one.take(10)) as OutboxBatch
    assert.equal(batch.events.length, 1)
    assert.equal(await other.take(10), undefined)
    await batch.release(batch.events)
    const next = (await other.take(10)) as OutboxBatch
    assert.deepEqual(next.events, [])
    await next.release([])
  })

  it('is given to the next when the connection of the first dies, with nothing forgotten', async () => {
    await write(randomUUID(), 1)
    const batch = (await one.take(10)) as OutboxBatch
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    )
    await assert.rejects(batch.release(batch.events))
    let next: OutboxBatch | undefined
    await until('the other gets it', async () => {
      next = await other.take(10)
      return next !== undefined
    })
    assert.equal(next?.events.length, 1)
    await next?.release(next.events)
  })

  it('keeps what was not delivered, and gives out the oldest first', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    for (const [agent, revision] of [
      [second, 1],
      [first, 1],
      [second, 2],
      [first, 2],
    ] as const) {
      await write(agent, revision)
    }
    const batch = (await one.take(3)) as OutboxBatch
    assert.deepEqual(
      batch.events.map(({ id }) => id),
      [`${second}:1`, `${first}:1`, `${second}:2`],
    )
    const waited = await batch.release(batch.events.slice(0, 1))
    assert.equal(waited.length, 1)
    const rest = (await one.take(10)) as OutboxBatch
    assert.deepEqual(
      rest.events.map(({ id }) => id),
      [`${first}:1`, `${second}:2`, `${first}:2`],
    )
    await rest.release([])
  })
})
