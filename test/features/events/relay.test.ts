import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Client } from 'pg'
import { OutboxListener } from '../../../src/features/events/notifications.ts'
import { Relay } from '../../../src/features/events/relay.ts'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createAgent } from '../../support/agents.ts'
import { startConsole } from '../../support/console.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import type { StreamEvent } from '../../support/nats.ts'
import { until } from '../../support/until.ts'

describe('a change of an agent', async () => {
  const { running, nats } = await useConsoleWithNats()
  const person = await running.person()
  const stream = await nats.collect()

  const eventsOf = (id: string) => stream.events.filter(({ subject }) => subject.endsWith(id))

  it('is delivered as a CloudEvent under the subject of its team and agent, once each revision', async () => {
    const agent = await createAgent(running, person, { agent_name: 'first' })
    const path = `/v1/agent-configurations/${agent.id}`
    const { token } = person
    await running.request('PUT', path, {
      token,
      json: { agent_name: 'second', api_key: 'sk-never-in-an-event' },
    })
    await running.request('PUT', path, { token, json: { agent_name: 'second' } })
    await running.request('PUT', `${path}/lifecycle`, { token, json: { trust_stage: 'trusted' } })
    await running.request('POST', `${path}/revisions/1/restore`, { token })
    await running.request('DELETE', path, { token })
    await until('five events arrive', () => eventsOf(agent.id).length === 5)

    const events = eventsOf(agent.id)
    assert.deepEqual(
      events.map(({ body }) => body.type),
      ['created', 'updated', 'trust_stage_changed', 'restored', 'deleted'].map(
        (kind) => `console.agent.${kind}`,
      ),
    )
    assert.deepEqual(
      events.map(({ messageId }) => messageId),
      [1, 2, 3, 4, 5].map((revision) => `${agent.id}:${revision}`),
    )
    const updated = events[1] as StreamEvent
    assert.equal(updated.subject, `${nats.subjectPrefix}.${person.team}.${agent.id}`)
    const { time, ...rest } = updated.body as { time: string; data: { changed_at: number } }
    assert.equal(Date.parse(time), rest.data.changed_at * 1_000)
    assert.deepEqual(rest, {
      specversion: '1.0',
      id: `${agent.id}:2`,
      source: '/v1/agent-configurations',
      type: 'console.agent.updated',
      subject: agent.id,
      datacontenttype: 'application/json',
      epoch: 1,
      data: {
        team_id: person.team,
        agent_id: agent.id,
        revision: 2,
        action: 'updated',
        fields: ['agent_name', 'api_key'],
        changed_by: person.user,
        changed_at: rest.data.changed_at,
      },
    })
    assert.ok(!JSON.stringify(events).includes('sk-never-in-an-event'))
  })

  it('leaves nothing in the outbox once it is delivered', async () => {
    await createAgent(running, person)
    await until('the outbox is empty', async () => {
      const [row] = await running.database.query<{ count: string }>('SELECT count(*) FROM outbox')
      return row?.count === '0'
    })
  })

  it('stays in order with three relays at once and forty writers', async () => {
    const { core, database } = running
    assert.ok(core.events)
    const options = {
      ...core,
      stream: core.events,
      databaseUrl: database.url,
      metrics: { ...core.metrics, of: relay as never },
    }
    const others = [new Relay(options), new Relay(options)]
    const agents = await Promise.all(Array.from({ length: 5 }, () => createAgent(running, person)))
    const write = async (writer: number) => {
      for (let step = 0; step < 10; step++) {
        const agent = agents[(writer + step) % agents.length]
        await running.request('PUT', `/v1/agent-configurations/${agent?.id}`, {
          token: person.token,
          json: { agent_name: `${writer} ${step}` },
        })
      }
    }
    await Promise.all(Array.from({ length: 40 }, (_, writer) => write(writer)))
    const count = () => agents.flatMap(({ id }) => eventsOf(id)).length
    await until('every event arrives', () => count() >= 405)
    for (const { id } of agents) {
      const revisions = eventsOf(id).map(({ body }) => body.data.revision)
      assert.deepEqual(
        revisions,
        revisions.map((_, index) => index + 1),
      )
    }
    assert.equal(count(), 405)
    await Promise.all(others.map((other) => other.close()))
  })

  const relay = () => ({ observeDelivery: () => {}, countFailure: () => {} })

  it('is announced to the relay, which otherwise reads the outbox only once a second', async () => {
    let announced = 0
    const listener = new OutboxListener(running.database.url, createLog('silent'), () => void announced++)
    await until('it listens', () => listener.isReceiving())
    const before = announced
    await createAgent(running, person)
    await until('the write is announced', () => announced > before)
    await listener.close()
  })

  it('counts as waiting in the metrics', async () => {
    const without = await startConsole()
    await createAgent(without, await without.person())
    await until('the event is counted', async () => {
      const figures = await without.core.metrics.registry.metrics()
      return (
        /^console_outbox_waiting 1$/m.test(figures) &&
        /^console_outbox_oldest_seconds (?!0$)\d/m.test(figures)
      )
    })
    await without.close()
  })

  it('does not keep the health of the replica waiting when the backlog cannot be read', async () => {
    const { database } = running
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE outbox')
    const { status, body } = await running.request('GET', '/health/ready')
    await holder.end()
    assert.deepEqual([status, body.status, body.delivery], [200, 'ready', { state: 'unknown' }])
  })

  it('is told in the figures and in the health of the replica', async () => {
    await until('nothing waits', async () => {
      const { body } = await running.request('GET', '/health/ready')
      return isDeepStrictEqual(body.delivery, { state: 'current', waiting: 0, oldest_seconds: 0 })
    })
    const figures = await running.core.metrics.registry.metrics()
    assert.match(figures, /^console_outbox_waiting 0$/m)
    assert.match(figures, /^console_event_delivery_seconds_count [1-9]/m)
  })
})
