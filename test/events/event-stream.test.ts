import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createEvents, type Events } from '../../src/deps.ts'
import { createLog } from '../../src/platform/log.ts'
import { createTestNats, type TestNats } from '../support/nats.ts'
import { until } from '../support/until.ts'

const AGENTS = 500
const REVISIONS = 8

describe('the stream of events', () => {
  const [team, other] = [randomUUID(), randomUUID()]
  let nats: TestNats
  let events: Events

  before(async () => {
    nats = await createTestNats()
    const { NATS_URL: natsUrl = '' } = nats.environment
    const { stream: name, subjectPrefix } = nats
    const stream = { name, subjectPrefix, replicas: 1, maxAgeHours: 1, maxBytes: 1024 ** 3 }
    events = createEvents({ natsUrl, relayDatabaseUrl: undefined, stream }, createLog('silent'))
    await until('NATS is connected', events.stream.isUp)
    await events.stream.ensure()
    const agents = Array.from({ length: AGENTS }, () => randomUUID())
    for (let revision = 1; revision <= REVISIONS; revision++) {
      await Promise.all(
        agents.map((agentId, n) => {
          const address = { teamId: n % 2 === 0 ? team : other, agentId }
          return events.stream.publish(address, `${agentId}:${revision}`, '{}')
        }),
      )
    }
  })
  after(async () => {
    await events.nats.close()
    await nats.remove()
  })

  it('is read for a team between any two sequences', async () => {
    const expected = (await nats.readAll())
      .filter(({ subject }) => subject.includes(team))
      .map(({ sequence }) => sequence)
    const last = AGENTS * REVISIONS
    for (const [first, to] of [
      [1, last],
      [700, 1_300],
      [last - 1, last],
      [last, last],
    ] as const) {
      const read = await Array.fromAsync(events.stream.read(team, first, to))
      assert.deepEqual(
        read.map(({ sequence }) => sequence),
        expected.filter((sequence) => sequence >= first && sequence <= to),
      )
      assert.ok(read.every(({ teamId }) => teamId === team))
    }
  })

  it('is read as fast from its middle as from its beginning', async () => {
    const last = AGENTS * REVISIONS
    const perSecond = async (first: number) => {
      const startedAt = performance.now()
      const { length } = await Array.fromAsync(events.stream.read(team, first, last))
      return (length * 1_000) / (performance.now() - startedAt)
    }
    const [fromStart, fromMiddle] = [await perSecond(1), await perSecond(last / 4)]
    assert.ok(fromMiddle > fromStart / 5, `${fromMiddle} events a second, from the start ${fromStart}`)
  })
})
