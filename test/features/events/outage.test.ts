import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { migrate } from '../../../scripts/migrate.ts'
import { createAgent, putAgent } from '../../support/agents.ts'
import { closeAfter } from '../../support/close-after.ts'
import { startConsole } from '../../support/console.ts'
import { startPrivateNats } from '../../support/private-nats.ts'
import { startPrivatePostgres } from '../../support/private-postgres.ts'
import { until } from '../../support/until.ts'
import { canBeWatched, watch } from '../../support/watching.ts'

describe('events, when something goes away', async () => {
  const [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats()])
  await migrate(postgres.url, () => {})
  const running = await startConsole({ environment: { DATABASE_URL: postgres.url, NATS_URL: nats.url } })
  const person = await running.person()
  await canBeWatched(running.url, person.token)
  const watching = await watch(running.url, person)
  closeAfter(async () => {
    watching.stop()
    await running.close()
    await Promise.all([postgres.remove(), nats.remove()])
  })
  const { id } = await createAgent(running, person)
  await watching.waitFor(1)

  const rename = async (agent_name: string) => {
    assert.equal((await putAgent(running, person, id, { agent_name })).status, 200)
  }
  it('wait while NATS is away, which no writer notices, and come in order when it is back', async () => {
    await nats.kill()
    for (const name of ['a', 'b', 'c', 'd']) await rename(name)
    await until('the replica is ready and counts them', async () => {
      const { body } = await running.request('GET', '/health/ready')
      return body.status === 'ready' && body.delivery.waiting === 4
    })
    await nats.start()
    await until('all events arrive', () => watching.seen.length >= 5)
    assert.deepEqual(
      watching.seen.map(({ event }) => event.data.revision),
      [1, 2, 3, 4, 5],
    )
  })

  it('come again after the database was away, announced as before', async () => {
    await postgres.stop('immediate')
    await postgres.start()
    await rename('after a crash')
    await until('the event arrives', () => watching.seen.length >= 6)
  })

  it('of a stream that was lost are gone: a client that watched is disconnected, and its position is refused', async () => {
    const lastEventId = watching.position()
    const connection = running.core.events?.nats.connection()
    assert.ok(connection)
    await (await jetstreamManager(connection)).streams.delete('CONSOLE_AGENTS')
    await rename('in a new stream')
    assert.equal(await watching.ended, 'ended')
    await until('the new stream is read', async () => {
      const { status } = await watch(running.url, { ...person, lastEventId })
      return status === 410
    })
  })

  it('leave a console that can be ended while neither database nor NATS is there', async () => {
    const own = await startConsole({
      environment: { DATABASE_URL: 'postgres://127.0.0.1:9/none', NATS_URL: 'nats://127.0.0.1:9' },
    })
    await own.close()
  })
})
