import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Outbox, type OutboxBatch } from '../../../src/features/events/outbox.ts'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const AT_7 = { createdAt: 1_700_000_000_000, lastSequence: 7 }

describe('the outbox', () => {
  let database: TestDatabase
  let one: Outbox
  let other: Outbox
  const log = createLog('silent')

  before(async () => {
    database = await createTestDatabase()
    one = new Outbox(database.url, log)
    other = new Outbox(database.url, log)
  })
  after(async () => {
    await Promise.all([one.close(), other.close()])
    await database.drop()
  })
  beforeEach(() => database.query('DELETE FROM outbox'))

  const team = randomUUID()
  const write = (agentId: string, revision: number, ageSeconds = 0) =>
    database.query(
      `INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload, written_at)
       VALUES ($1, $2::uuid, $3::bigint, $2::text || ':' || $3::text, 'updated', '{"fields": []}',
         clock_timestamp() - make_interval(secs => $4))`,
      [team, agentId, revision, ageSeconds],
    )
  const ids = ({ events }: OutboxBatch) => events.map(({ id }) => id)
  const byAgent = ({ events }: OutboxBatch, agentId: string) =>
    events.filter((event) => event.agentId === agentId).map(({ revision }) => revision)

  it('is given to one at a time, and to the next when the first is done', async () => {
    await write(randomUUID(), 1)
    const batch = (await one.take(10)) as OutboxBatch
    assert.equal(batch.events.length, 1)
    assert.equal(await other.take(10), undefined)
    await batch.release(batch.events, AT_7)
    const next = (await other.take(10)) as OutboxBatch
    assert.deepEqual(next.events, [])
    assert.deepEqual(next.position, AT_7)
    await next.abandon()
  })

  it('is given to the next when the connection of the first dies, with nothing forgotten', async () => {
    await write(randomUUID(), 1)
    const batch = (await one.take(10)) as OutboxBatch
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    )
    await assert.rejects(batch.release(batch.events, AT_7))
    let next: OutboxBatch | undefined
    await until('the other gets it', async () => {
      next = await other.take(10)
      return next !== undefined
    })
    assert.equal(next?.events.length, 1)
    await next?.abandon()
  })

  it('keeps what was not delivered, and gives out the oldest first', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    await write(second, 1, 4)
    await write(first, 1, 3)
    await write(second, 2, 2)
    await write(first, 2, 1)
    const batch = (await one.take(3)) as OutboxBatch
    assert.deepEqual(ids(batch).toSorted(), [`${second}:1`, `${first}:1`, `${second}:2`].toSorted())
    const delivered = batch.events.find(({ agentId }) => agentId === second)
    assert.ok(delivered)
    const ages = await batch.release([delivered], AT_7)
    assert.equal(ages.length, 1)
    const rest = (await one.take(10)) as OutboxBatch
    assert.deepEqual(byAgent(rest, first), [1, 2])
    assert.deepEqual(byAgent(rest, second), [2])
    await rest.abandon()
  })

  it('gives out the revisions of an agent in order, although the clock went back between them', async () => {
    const agent = randomUUID()
    await write(agent, 1, 1)
    await write(agent, 2, 3)
    await write(agent, 3, 2)
    const batch = (await one.take(2)) as OutboxBatch
    assert.deepEqual(byAgent(batch, agent), [1, 2])
    await batch.abandon()
  })

  it('gives out nothing after delivery has stopped, until a position is recorded', async () => {
    await write(randomUUID(), 1)
    await ((await one.take(10)) as OutboxBatch).stopDelivery()
    const stopped = (await other.take(10)) as OutboxBatch
    assert.deepEqual([stopped.isDiverged, stopped.events], [true, []])
    await stopped.release([], AT_7)
    const next = (await one.take(10)) as OutboxBatch
    assert.deepEqual([next.isDiverged, next.events.length], [false, 1])
    await next.abandon()
  })
})
