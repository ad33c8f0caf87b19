import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { jetstream } from '@nats-io/jetstream'
import { agentEvent } from '../../support/agent-event.ts'
import { closeAfter } from '../../support/close-after.ts'
import { type Person, startConsole } from '../../support/console.ts'
import { createTestNats } from '../../support/nats.ts'
import { until } from '../../support/until.ts'
import { watch } from '../../support/watching.ts'

/** More than the sockets between two processes hold (36 MiB on Linux 6.18), and more than a replica that has just started
 * has in memory. */
const EVENTS = 4_000
const EVENT_BYTES = 16_000
/** As many as a replica has in memory. */
const RECENT_EVENTS = 10_000

const READERS = 20

describe('catching up with what is no longer in memory', async () => {
  const position = async (url: string, user: Person): Promise<string> => {
    let found: string | undefined
    await until('the stream is read', async () => {
      const watching = await watch(url, user)
      if (watching.status === 200) await until('a position arrives', () => watching.position() !== undefined)
      watching.stop()
      found = watching.position()
      return found !== undefined
    })
    return found as string
  }
  const publish = async (count: number, team: string, bytes = EVENT_BYTES) => {
    const stream = jetstream(nats.connection)
    for (let done = 0; done < count; done += 500) {
      await Promise.all(
        Array.from({ length: Math.min(500, count - done) }, (_, index) => {
          const agentId = randomUUID()
          const fields = ['x'.repeat(bytes)]
          const event = agentEvent({ teamId: team, agentId, revision: done + index + 1, fields })
          return stream.publish(`${nats.subjectPrefix}.${team}.${agentId}`, JSON.stringify(event))
        }),
      )
    }
  }

  /** Asks for everything there was, and does not read it. */
  const readNothing = async (url: string, { token }: Person): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': beginning }
    const [response] = (await once(
      get(`${url}/v1/agent-configurations/events`, { headers }),
      'response',
    )) as [IncomingMessage]
    // It is cut off in the end.
    return response.on('error', () => {})
  }

  const nats = await createTestNats()
  const first = await startConsole({ environment: nats.environment })
  const before = await first.person()
  const { team } = before
  const beginning = await position(first.url, before)
  await first.close()
  const otherTeam = randomUUID()
  await publish(10, otherTeam)
  await publish(EVENTS, team)
  const running = await startConsole({ environment: nats.environment })
  closeAfter(async () => {
    await running.close()
    await nats.remove()
  })
  const person = await running.person({ team })
  await position(running.url, person)

  const consumers = async () => (await nats.info())?.state.consumer_count

  it('is not delayed by clients that do not read what they asked for', async () => {
    const other = await running.person({ team: otherTeam })
    const metrics = () => running.core.metrics.registry.metrics()
    const idle = await Promise.all(Array.from({ length: READERS }, () => readNothing(running.url, person)))
    const watching = await watch(running.url, { ...other, lastEventId: beginning })
    await watching.waitFor(1)
    assert.match(await metrics(), /console_watch_subscribers_cut_off_total 0/)
    assert.match(await metrics(), /console_watch_subscribers [1-9]/)
    watching.stop()
    await until(
      'clients that do not read are cut off',
      async () => new RegExp(`console_watch_subscribers_cut_off_total ${READERS}`).test(await metrics()),
      60_000,
    )
    for (const response of idle) response.destroy()
    await until('no client watches', async () => /console_watch_subscribers 0/.test(await metrics()))
  })

  it('tells all of it in order, and leaves no consumer behind', async () => {
    // Its own, with which the replica follows the stream.
    await until('the others are gone', async () => (await consumers()) === 1)
    const watching = await watch(running.url, { ...person, lastEventId: beginning })
    await watching.waitFor(EVENTS)
    assert.deepEqual(
      watching.seen.map(({ event }) => event.data.revision),
      Array.from({ length: EVENTS }, (_, index) => index + 1),
    )
    watching.stop()
    await until('its consumer is gone', async () => (await consumers()) === 1)
  })

  it('tells where it has got to, although nothing of it is of interest', async () => {
    const watching = await watch(running.url, {
      ...person,
      lastEventId: beginning,
      agentIds: [randomUUID()],
    })
    await until('it has got somewhere', () => watching.comments.includes('catching up'))
    assert.notEqual(watching.position(), beginning)
    assert.deepEqual(watching.seen, [])
    watching.stop()
    await until('its consumer is gone', async () => (await consumers()) === 1)
  })

  it('is done while other events go on to arrive', async () => {
    const start = await position(running.url, person)
    await publish(RECENT_EVENTS + 500, otherTeam, 1)
    const present = await watch(running.url, person)
    await publish(1, person.team, 1)
    await present.waitFor(1)
    present.stop()

    const watching = await watch(running.url, { ...person, lastEventId: start })
    let others = 0
    let othersUntilSeen: number | undefined
    for (let isPublished = false; othersUntilSeen === undefined; ) {
      await publish(50, otherTeam, 1)
      if (isPublished) others += 50
      if (watching.seen.length === 2) othersUntilSeen = others
      if (watching.seen.length === 1 && !isPublished) {
        await publish(1, person.team, 1)
        isPublished = true
      }
    }
    watching.stop()
    assert.ok(othersUntilSeen < RECENT_EVENTS / 2, `it has seen an event after ${othersUntilSeen} others`)
    await until('its consumer is gone', async () => (await consumers()) === 1)
  })

  it('ends with the replica, which does not wait for it', async () => {
    const own = await startConsole({ environment: { ...nats.environment, RELAY: 'off' } })
    const user = await own.person({ team: person.team })
    await position(own.url, user)
    const answer = await readNothing(own.url, user)
    const closing = own.close()
    // What was sent before is read, and then there is no more.
    await once(answer.resume(), 'end')
    assert.equal(answer.complete, true)
    await closing
  })
})
