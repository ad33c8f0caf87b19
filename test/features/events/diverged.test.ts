import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { Client } from 'pg'
import { BatchDelivery, deliver } from '../../../src/features/events/deliver.ts'
import { beginEpoch } from '../../../src/features/events/new-epoch.ts'
import { Outbox, type OutboxBatch, toEpochEvent } from '../../../src/features/events/outbox.ts'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { createTestNats, type TestNats } from '../../support/nats.ts'

const team = randomUUID()

/** An outbox and a stream of its own, and a relay that delivers when it is told to. */
async function prepare(t: TestContext, given?: TestNats) {
  const nats = given ?? (await createTestNats())
  const database = await createTestDatabase()
  const stream = await openEventStream(nats)
  const outbox = new Outbox(database.url, createLog('silent'))
  const logged: { level: string; msg: string }[] = []
  const log = createLog('warn', { write: (line) => void logged.push(JSON.parse(line)) })
  const metrics = { observeDelivery: () => {}, countFailure: () => {} }
  t.after(async () => {
    await outbox.close()
    await stream.close()
    if (!given) await nats.remove()
    await database.drop()
  })

  const startRelay = () => {
    const delivery = new BatchDelivery({ outbox, stream, metrics, log })
    return async () => {
      while (await delivery.deliverNext());
    }
  }
  const write = (agentId: string, revision: number, changedAt = 1_800_000_000) =>
    database.query(
      `INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
       VALUES ($1, $2::uuid, $3::bigint, $2::text || ':' || $3::text, 'updated', $4)`,
      [team, agentId, revision, { fields: ['purpose'], changed_by: team, changed_at: changedAt }],
    )
  /** The database is that of an earlier time. */
  const restore = (lastSequence: number) =>
    database.query('UPDATE event_delivery SET epoch = 1, last_sequence = $1, diverged_at = NULL', [
      lastSequence,
    ])
  const newEpoch = async () => {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await beginEpoch(client, stream, () => {})
    await client.end()
  }
  const state = async () => {
    const [row] = await database.query<{ waiting: string; diverged: boolean; epoch: string }>(
      `SELECT (SELECT count(*) FROM outbox) AS waiting, diverged_at IS NOT NULL AS diverged, epoch FROM event_delivery`,
    )
    return { waiting: Number(row?.waiting), isDiverged: row?.diverged, epoch: Number(row?.epoch) }
  }
  const storedIds = async () => (await nats.readAll()).map(({ messageId }) => messageId)
  return { nats, database, stream, outbox, logged, startRelay, write, restore, newEpoch, state, storedIds }
}

const DELIVERED = { waiting: 0, isDiverged: false, epoch: 1 }

/** Publishes what waits, and dies before it has recorded that. */
async function publishAndDie({ outbox, stream }: Awaited<ReturnType<typeof prepare>>) {
  const batch = (await outbox.take(1_000)) as OutboxBatch
  const options = { deadline: Number.POSITIVE_INFINITY, isCompared: true }
  const { failure } = await deliver(stream, batch, options)
  assert.equal(failure, undefined)
  await batch.abandon()
}

describe('a stream that goes on from what the database has recorded', () => {
  it('has the events of a relay that died: they are delivered and not published again', async (t) => {
    const scene = await prepare(t)
    // A plain subscriber also receives what JetStream drops as a duplicate.
    let sent = 0
    scene.nats.connection.subscribe(`${scene.nats.subjectPrefix}.>`, { callback: () => void sent++ })
    const [one, other] = [randomUUID(), randomUUID()]
    for (const agent of [one, other]) await scene.write(agent, 1)
    await publishAndDie(scene)
    await scene.write(one, 2)
    const relay = scene.startRelay()
    await relay()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual((await scene.storedIds()).toSorted(), [`${one}:1`, `${one}:2`, `${other}:1`].toSorted())
    await scene.write(other, 2)
    await publishAndDie(scene)
    await scene.write(other, 3)
    // It has compared before, so JetStream tells it.
    await relay()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual((await scene.storedIds()).slice(3), [`${other}:2`, `${other}:3`])
    await scene.nats.connection.flush()
    // One more: JetStream refuses it at first, because it comes after an event that was not recorded.
    assert.equal(sent, 5 + 1)
  })

  it('may have the first event of a batch already, from before what was recorded', async (t) => {
    const scene = await prepare(t)
    const [one, other] = [randomUUID(), randomUUID()]
    await scene.write(one, 1)
    await scene.write(other, 1)
    const relay = scene.startRelay()
    await relay()
    // As if the acknowledgement had been lost.
    await scene.write(one, 1)
    await scene.write(other, 2)
    await relay()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.equal((await scene.storedIds()).length, 3)
  })

  it('may have been purged', async (t) => {
    const scene = await prepare(t)
    const agent = randomUUID()
    await scene.write(agent, 1)
    const relay = scene.startRelay()
    await relay()
    await (await jetstreamManager(scene.nats.connection)).streams.purge(scene.nats.stream)
    await scene.write(agent, 2)
    await relay()
    await scene.write(agent, 3)
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual(await scene.storedIds(), [`${agent}:2`, `${agent}:3`])
  })

  it('may have been deleted and created again', async (t) => {
    const scene = await prepare(t)
    const agent = randomUUID()
    await scene.write(agent, 1)
    const relay = scene.startRelay()
    await relay()
    await (await jetstreamManager(scene.nats.connection)).streams.delete(scene.nats.stream)
    await scene.stream.ensure()
    await scene.write(agent, 2)
    await relay()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual(await scene.storedIds(), [`${agent}:2`])
  })

  it('may have been created again before its first event', async (t) => {
    const scene = await prepare(t)
    const relay = scene.startRelay()
    await relay()
    await (await jetstreamManager(scene.nats.connection)).streams.delete(scene.nats.stream)
    await scene.stream.ensure()
    const agent = randomUUID()
    await scene.write(agent, 1)
    await relay()
    await scene.write(agent, 2)
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual(await scene.storedIds(), [`${agent}:1`, `${agent}:2`])
  })

  it('keeps its configuration in a new epoch, which a command with other settings begins', async (t) => {
    const scene = await prepare(t)
    const { streams } = await jetstreamManager(scene.nats.connection)
    const larger = { max_bytes: 2 * 1024 ** 3 }
    await streams.update(scene.nats.stream, larger)
    await scene.newEpoch()
    const { config } = await streams.info(scene.nats.stream)
    assert.equal(config.max_bytes, larger.max_bytes)
  })

  it('may have lost its newest messages, which is logged', async (t) => {
    const scene = await prepare(t)
    const agent = randomUUID()
    await scene.write(agent, 1)
    const relay = scene.startRelay()
    await relay()
    await scene.restore(3)
    await scene.write(agent, 2)
    await relay()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual(await scene.storedIds(), [`${agent}:1`, `${agent}:2`])
    assert.match(scene.logged[0]?.msg ?? '', /lost events/)
  })
})

describe('a stream with events that the database does not have', () => {
  /** Two revisions were delivered, then the database is restored to the first, and the second is another one now. */
  const restored = async (t: TestContext) => {
    const scene = await prepare(t)
    const agent = randomUUID()
    await scene.write(agent, 1)
    const relay = scene.startRelay()
    await relay()
    await scene.write(agent, 2, 1_800_000_001)
    await relay()
    await scene.restore(1)
    await scene.write(agent, 2, 1_800_000_099)
    return { ...scene, agent, relay }
  }
  const STOPPED = { waiting: 1, isDiverged: true, epoch: 1 }

  it('stops delivery: nothing is published, nothing is dropped, and the log says what to do, once', async (t) => {
    const scene = await restored(t)
    await scene.relay()
    await scene.relay()
    assert.deepEqual(await scene.state(), STOPPED)
    assert.equal((await scene.storedIds()).length, 2)
    assert.equal(scene.logged.length, 1)
    assert.equal(scene.logged[0]?.level, 'error')
    assert.match(scene.logged[0]?.msg ?? '', /events:new-epoch/)
  })

  it('is found by a relay that starts, before anything is written', async (t) => {
    const scene = await restored(t)
    await scene.database.query('DELETE FROM outbox')
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), { ...STOPPED, waiting: 0 })
  })

  it('stops delivery although the events in question were purged', async (t) => {
    const scene = await restored(t)
    await (await jetstreamManager(scene.nats.connection)).streams.purge(scene.nats.stream)
    await scene.relay()
    assert.deepEqual(await scene.state(), STOPPED)
  })

  it('stops delivery if there are more of them than a relay leaves behind', async (t) => {
    const scene = await prepare(t)
    const agents = Array.from({ length: 700 }, () => randomUUID())
    await scene.database.query(
      `INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
       SELECT $1, agent_id, revision, agent_id || ':' || revision, 'updated', $3
       FROM unnest($2::uuid[]) AS agent_id, generate_series(1, 3) AS revision`,
      [team, agents, { fields: [], changed_by: team, changed_at: 0 }],
    )
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), DELIVERED)
    await scene.restore(99)
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), { ...STOPPED, waiting: 0 })
  })

  it('stops delivery if they are those of another database', async (t) => {
    const first = await prepare(t)
    await first.write(randomUUID(), 1)
    await first.startRelay()()
    const second = await prepare(t, first.nats)
    await second.write(randomUUID(), 1)
    await second.startRelay()()
    assert.deepEqual(await second.state(), STOPPED)
    assert.match(JSON.stringify(second.logged), /events of another database/)
    await first.write(randomUUID(), 1)
    await first.startRelay()()
    assert.deepEqual(await first.state(), DELIVERED)
  })

  for (const [what, subject, payload] of [
    ['no JSON', `${team}.${randomUUID()}`, '{'],
    ['no event', `${team}.${randomUUID()}`, 'null'],
    ['under a subject without ids', 'a.b', '{"data":{"team_id":"a","agent_id":"b","revision":1}}'],
  ] as const) {
    it(`stops delivery if one of them is ${what}`, async (t) => {
      const scene = await prepare(t)
      scene.nats.connection.publish(`${scene.nats.subjectPrefix}.${subject}`, payload)
      await scene.nats.connection.flush()
      await scene.write(randomUUID(), 1)
      await scene.startRelay()()
      assert.deepEqual(await scene.state(), STOPPED)
    })
  }

  it('is not the right one: delivery continues when a relay with the right one starts', async (t) => {
    const scene = await prepare(t)
    const agent = randomUUID()
    await scene.write(agent, 1)
    const relay = scene.startRelay()
    await relay()
    await scene.database.query('UPDATE event_delivery SET diverged_at = now()')
    await scene.write(agent, 2)
    await relay()
    assert.deepEqual(await scene.state(), STOPPED)
    await scene.startRelay()()
    assert.deepEqual(await scene.state(), DELIVERED)
    assert.deepEqual(await scene.storedIds(), [`${agent}:1`, `${agent}:2`])
  })

  it('goes on in a new epoch, with ids that JetStream has not seen', async (t) => {
    const scene = await restored(t)
    await scene.relay()
    await scene.newEpoch()
    await scene.relay()
    assert.deepEqual(await scene.state(), { waiting: 0, isDiverged: false, epoch: 2 })
    const stored = await scene.nats.readAll()
    const { agent } = scene
    assert.deepEqual(
      stored.map(({ messageId, body }) => [messageId, body.id, body.epoch]),
      [
        [`${agent}:1`, 1],
        [`${agent}:2`, 1],
        ['epoch:2', 2],
        [`${agent}:2:2`, 2],
      ].map(([id, epoch]) => [id, id, epoch]),
    )
    const marker = stored[2]
    assert.equal(marker?.subject, `${scene.nats.subjectPrefix}.epoch.2`)
    assert.equal(marker?.body.type, 'console.epoch.began')
  })

  it('goes on in a new epoch although the first attempt was killed before it was recorded', async (t) => {
    const scene = await restored(t)
    const { lastSequence } = await scene.stream.state()
    await scene.stream.publishEpoch(2, 'epoch:2', JSON.stringify(toEpochEvent(2, Date.now())), lastSequence)
    await scene.relay()
    assert.deepEqual(await scene.state(), STOPPED)
    await scene.newEpoch()
    await scene.relay()
    assert.deepEqual(await scene.state(), { waiting: 0, isDiverged: false, epoch: 3 })
    assert.deepEqual((await scene.storedIds()).slice(2), ['epoch:2', 'epoch:3', `${scene.agent}:2:3`])
  })

  it('goes on in an epoch that no other had, also when the database is of the one before the last', async (t) => {
    const scene = await restored(t)
    await scene.newEpoch()
    await scene.relay()
    await scene.restore(1)
    await scene.write(scene.agent, 2)
    await scene.relay()
    assert.deepEqual(await scene.state(), STOPPED)
    await scene.newEpoch()
    await scene.relay()
    assert.deepEqual(await scene.state(), { waiting: 0, isDiverged: false, epoch: 3 })
  })
})
