import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { createTestNats, type TestNats } from '../support/nats.ts'
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts'
import { type PrivateNats, startPrivateNats } from '../support/private-nats.ts'
import { until } from '../support/until.ts'

async function createStream({ connection, stream, subjectPrefix }: TestNats, replicas = 1): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  await manager.streams.add({ name: stream, subjects: [`${subjectPrefix}.>`], num_replicas: replicas })
}

async function publish({ connection, subjectPrefix }: TestNats, ...revisions: number[]): Promise<void> {
  for (const revision of revisions) {
    await jetstream(connection).publish(`${subjectPrefix}.agent`, JSON.stringify({ revision }), {
      msgID: `agent:${revision}`,
    })
  }
}

describe('a private NATS', () => {
  let server: PrivateNats
  let nats: TestNats

  before(async () => {
    server = await startPrivateNats()
    nats = await createTestNats(server.url)
    await createStream(nats)
  })
  after(async () => {
    await nats.close()
    await server.remove()
  })

  it('is out of the way of outgoing connections', () => {
    assert.ok(Number(new URL(server.url).port) < 32_768, server.url)
  })

  it('killed and started again, has its port, what it had stored and what it takes for a repetition', async () => {
    await publish(nats, 1, 2)
    const before = server.pid()
    await server.kill()
    assert.equal(server.pid(), undefined)
    await server.start()
    assert.notEqual(server.pid(), before)
    await nats.reconnected()
    await publish(nats, 2, 3)
    assert.deepEqual(
      (await nats.readAll()).map(({ messageId }) => messageId),
      ['agent:1', 'agent:2', 'agent:3'],
    )
  })

  it('is followed by a collector through a stop, in order and without a repetition', async () => {
    const { events, stop } = await nats.collect()
    await until('what was there is collected', () => events.length === 3)
    await server.stop()
    await server.start()
    await nats.reconnected()
    await publish(nats, 4, 5)
    await until('what came after is collected', () => events.length === 5)
    await stop()
    assert.deepEqual(
      events.map(({ sequence, subject, body }) => [sequence, subject, body.revision]),
      [1, 2, 3, 4, 5].map((n) => [n, `${nats.subjectPrefix}.agent`, n]),
    )
  })
})

describe('a NATS cluster of three', () => {
  let cluster: NatsCluster
  let nats: TestNats

  before(async () => {
    cluster = await startNatsCluster(3)
    nats = await createTestNats(cluster.urls)
    await createStream(nats, 3)
  })
  after(async () => {
    await nats.close()
    await cluster.remove()
  })

  it('knows who leads a stream, and loses nothing when that one is killed', async () => {
    await publish(nats, 1, 2)
    const leader = await cluster.leaderOf(nats.stream)
    assert.ok(leader)
    await leader.kill()
    await until(
      'another leads',
      async () => ![undefined, leader].includes(await cluster.leaderOf(nats.stream)),
      30_000,
    )
    assert.equal(await cluster.isWhole(nats.stream), false)
    await nats.reconnected()
    await publish(nats, 3)
    await leader.start()
    await until('all copies are equal again', () => cluster.isWhole(nats.stream), 30_000)
    assert.deepEqual(
      (await nats.readAll()).map(({ messageId }) => messageId),
      ['agent:1', 'agent:2', 'agent:3'],
    )
  })
})
