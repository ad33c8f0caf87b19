import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { createAgent, putAgent } from '../../support/agents.ts'
import { startConsole } from '../../support/console.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import { startProcess } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import { canBeWatched, watch } from '../../support/watching.ts'

describe('a console whose database was restored', async () => {
  const { running, nats } = await useConsoleWithNats()
  const person = await running.person()
  await canBeWatched(running.url, person.token)
  const watching = await watch(running.url, person)
  const agent = await createAgent(running, person)
  await watching.waitFor(1)
  const environment = { ...nats.environment, DATABASE_URL: running.database.url }

  const isDelivered = async () => (await running.database.query('SELECT FROM outbox')).length === 0
  const delivery = async () => (await running.request('GET', '/health/ready')).body.delivery
  const metric = async (name: string) => {
    const metrics = await running.core.metrics.registry.metrics()
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1])
  }
  /** Metrics are sampled. */
  const reports = (epoch: number, diverged: 0 | 1) =>
    until(
      `the metrics report epoch ${epoch} and diverged ${diverged}`,
      async () =>
        (await metric('console_events_epoch')) === epoch &&
        (await metric('console_events_diverged')) === diverged,
    )
  const rename = async (agent_name: string) =>
    assert.equal((await putAgent(running, person, agent.id, { agent_name })).status, 200)
  const beginEpoch = () => startProcess('scripts/new-epoch.ts', environment)
  const startReplica = async (t: TestContext) => {
    const replica = await startConsole({
      environment: { ...environment, AUTH_ISSUER: running.issuer.url, RELAY: 'off' },
    })
    t.after(() => replica.close())
    await canBeWatched(replica.url, person.token)
    return replica
  }

  it('reports in health and metrics that delivery has stopped', async () => {
    await until('the first event is recorded', isDelivered)
    await reports(1, 0)
    await running.database.query('UPDATE event_delivery SET last_sequence = 0')
    await rename('after the restore')
    await until('delivery has stopped', async () => (await delivery()).state === 'diverged')
    await until('the event is counted', async () => (await delivery()).waiting === 1)
    await reports(1, 1)
    const { status, body } = await running.request('GET', '/health/ready')
    assert.deepEqual([status, body.status], [200, 'ready'])
  })

  it('continues after npm run events:new-epoch: watchers are disconnected, and must list the agents again', async (t) => {
    const lastEventId = watching.position()
    const command = beginEpoch()
    assert.equal(await command.ended, 0, command.output())
    assert.match(command.output(), /Delivery continues in epoch 2/)
    assert.equal(await watching.ended, 'ended')
    await until('the event is delivered', isDelivered)
    await reports(2, 0)

    const replica = await startReplica(t)
    for (const { url } of [running, replica]) {
      const refused = await watch(url, { ...person, lastEventId })
      assert.equal(refused.status, 410)
      assert.equal((refused.body as { code: string }).code, 'position_expired')
    }
  })

  it('is watched in the new epoch, at every replica', async (t) => {
    const [first, replica] = [await watch(running.url, person), await startReplica(t)]
    await rename('in the new epoch')
    await first.waitFor(1)
    first.stop()
    await rename('while nobody watches')
    const second = await watch(replica.url, { ...person, lastEventId: first.position() })
    await second.waitFor(1)
    second.stop()
    const seen = [...first.seen, ...second.seen].map(({ event }) => [event.id, event.epoch])
    assert.deepEqual(seen, [
      [`${agent.id}:3:2`, 2],
      [`${agent.id}:4:2`, 2],
    ])
  })

  it('is watched in the new epoch at a replica that finds no event in the stream', async (t) => {
    const watched = await watch(running.url, person)
    await until('a position arrives', () => watched.position() !== undefined)
    watched.stop()
    await (await jetstreamManager(nats.connection)).streams.purge(nats.stream)
    const replica = await startReplica(t)
    const { status, stop } = await watch(replica.url, { ...person, lastEventId: watched.position() })
    stop()
    assert.equal(status, 200)
  })

  it('begins one more epoch if the command is run twice, or is killed', async () => {
    const before = (await nats.info())?.state.last_seq
    const killed = beginEpoch()
    await until(
      'it has begun',
      async () => killed.output() !== '' || (await nats.info())?.state.last_seq !== before,
    )
    killed.signal('SIGKILL')
    await killed.ended
    for (const command of [beginEpoch(), beginEpoch()]) assert.equal(await command.ended, 0, command.output())
    await rename('after all')
    await until('the event is delivered', isDelivered)
    const stored = await nats.readAll()
    const epochs = stored.map(({ body }) => body.epoch as number)
    assert.deepEqual(
      epochs,
      epochs.toSorted((one, other) => one - other),
    )
    await reports(epochs.at(-1) as number, 0)
    assert.ok((epochs.at(-1) ?? 0) >= 4, String(epochs))
  })

  it('says what is missing or does not respond when no epoch can be begun', async () => {
    const without = startProcess('scripts/new-epoch.ts', {})
    assert.equal(await without.ended, 1)
    assert.match(without.output(), /DATABASE_URL is missing/)
    assert.match(without.output(), /NATS_URL is missing/)
    const url = 'postgres://127.0.0.1:9/none'
    const down = startProcess('scripts/new-epoch.ts', { ...environment, DATABASE_URL: url })
    assert.equal(await down.ended, 1)
    assert.match(down.output(), /No epoch was begun: .*ECONNREFUSED/)
  })
})
