import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { jetstream } from '@nats-io/jetstream'
import { toEpochEvent } from '../../../src/features/events/outbox.ts'
import { parseMessage } from '../../../src/platform/nats/stream-read.ts'
import { agentEvent } from '../../support/agent-event.ts'
import { closeAfter } from '../../support/close-after.ts'
import { startConsole } from '../../support/console.ts'
import { createTestNats } from '../../support/nats.ts'
import { until } from '../../support/until.ts'
import { canBeWatched, watch } from '../../support/watching.ts'

const [teamId, agentId, other] = [randomUUID(), randomUUID(), randomUUID()]
const genuine = agentEvent({ teamId, agentId, revision: 3 })
const text = JSON.stringify(genuine)

/** Messages that the console would not publish under the subject of the agent. */
const FORGED: Record<string, string> = {
  'no JSON': '{',
  'not an object': 'null',
  'further frames': `${text}\n\nid: 9\ndata: {"forged": true}`,
  'another team': JSON.stringify({ ...genuine, data: { ...genuine.data, team_id: other } }),
  'another agent': JSON.stringify({ ...genuine, data: { ...genuine.data, agent_id: other } }),
  'another subject': JSON.stringify({ ...genuine, subject: other }),
  'another id': JSON.stringify({ ...genuine, id: `${agentId}:4` }),
  'another type': JSON.stringify({ ...genuine, type: 'console.agent.deleted' }),
  'another time': JSON.stringify({ ...genuine, time: '2001-01-01T00:00:00Z' }),
  'a revision that is a text': JSON.stringify({ ...genuine, data: { ...genuine.data, revision: '3' } }),
  'no fields': JSON.stringify({ ...genuine, data: { ...genuine.data, fields: undefined } }),
  'an epoch of its own': JSON.stringify({ ...genuine, epoch: 99 }),
  'an action that is no word': JSON.stringify({
    ...{ ...genuine, type: 'console.agent.x y' },
    data: { ...genuine.data, action: 'x y' },
  }),
}

const parse = (subject: string, payload: string) => parseMessage(`p.${subject}`, Buffer.from(payload))

describe('a message of the event stream', () => {
  it('is taken if the relay published it, with the members of the contract only', () => {
    assert.deepEqual(parse(`${teamId}.${agentId}`, text), { teamId, agentId, epoch: 1, json: text })
    const more = { secret: 'x', ...genuine, data: { ...genuine.data, secret: 'x' } }
    assert.equal(parse(`${teamId}.${agentId}`, JSON.stringify(more, null, 2))?.json, text)
  })

  it('may have an action that only a newer version knows', () => {
    const data = { ...genuine.data, action: 'adopted' }
    const event = JSON.stringify({ ...genuine, type: 'console.agent.adopted', data })
    assert.equal(parse(`${teamId}.${agentId}`, event)?.json, event)
  })

  it('may begin an epoch, under the subject of that epoch', () => {
    const event = JSON.stringify(toEpochEvent(7, Date.now()))
    assert.equal(parse('epoch.7', event)?.epoch, 7)
    assert.equal(parse('epoch.8', event), undefined)
    assert.equal(parse('epoch.7', '{"epoch":7}'), undefined)
  })

  for (const [what, payload] of Object.entries(FORGED)) {
    it(`is ignored: ${what}`, () => {
      assert.equal(parse(`${teamId}.${agentId}`, payload), undefined)
    })
  }
})

describe('a watcher', async () => {
  const nats = await createTestNats()
  const running = await startConsole({ environment: { ...nats.environment, RELAY: 'off' } })
  closeAfter(async () => {
    await running.close()
    await nats.remove()
  })
  const person = await running.person({ team: teamId })
  await canBeWatched(running.url, person.token)
  const publish = (payload: string) =>
    jetstream(nats.connection).publish(`${nats.subjectPrefix}.${teamId}.${agentId}`, payload)

  it('gets no message that was forged in NATS, live or from the stream', async () => {
    const live = await watch(running.url, person)
    await until('it has a position', () => live.position() !== undefined)
    const lastEventId = live.position() as string
    for (const payload of Object.values(FORGED)) await publish(payload)
    await publish(text)
    await live.waitFor(1)
    const late = await watch(running.url, { ...person, lastEventId })
    await late.waitFor(1)
    for (const { seen, stop } of [live, late]) {
      assert.deepEqual(
        seen.map(({ event }) => event),
        [genuine],
      )
      stop()
    }
  })

  it('is served by a console that logs how many it ignored', async () => {
    await running.app.close()
    const line = running.logLines.find((each) => each.includes('ignored messages in NATS'))
    assert.equal((JSON.parse(line ?? '{}') as { ignored?: number }).ignored, Object.keys(FORGED).length)
  })
})
