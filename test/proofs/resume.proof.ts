import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { freePorts } from '../../dev/free-port.ts'
import { createRandom, type Random } from '../../scripts/seed/random.ts'
import { createAgents } from '../support/delivery-writers.ts'
import { createTestNats, type TestNats } from '../support/nats.ts'
import { fillOutbox } from '../support/outbox-backlog.ts'
import {
  answers,
  type Process,
  type RunningConsole,
  startConsoleProcess,
  startProcess,
} from '../support/processes.ts'
import { seedOr, sized } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { startUpdates } from '../support/updates-at-a-rate.ts'
import { canBeWatched, type Seen, watch } from '../support/watching.ts'

const RESUMES = sized(30, 500)
/** So many make one chain, from somewhere in the stream up to the present. */
const BREAKS = 5
const WATCHERS = 8
const PER_SECOND = 100

/** Of each of two teams: together more than a replica has in its memory, and far more than one that has just started. */
const OLD = { agentsPerTeam: 500, revisions: 12 }

describe('a watch that breaks off', () => {
  const [team, otherTeam] = [randomUUID(), randomUUID()]
  let nats: TestNats
  let running: RunningConsole
  let replica: Process
  let token: string
  let urls: string[]

  before(async () => {
    nats = await createTestNats()
    running = await startConsoleProcess({ LOG_LEVEL: 'error', ...nats.environment })
    token = await running.token({ team })
    await canBeWatched(running.url, token)
    await fillOutbox(running.database.url, { teamIds: [team, otherTeam], ...OLD })
    await until('the old events are delivered', isDelivered, 180_000)
    const [port, metricsPort] = await freePorts(2)
    const url = `http://127.0.0.1:${port}`
    replica = startProcess('src/main.ts', {
      ...running.environment,
      RELAY: 'off',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    })
    await answers(`${url}/health/live`, replica)
    await canBeWatched(url, token)
    urls = [running.url, url]
  })
  after(async () => {
    replica.signal('SIGKILL')
    await replica.ended
    await running.close()
    await nats.remove()
  })

  const isDelivered = async () => (await running.database.query('SELECT FROM outbox LIMIT 1')).length === 0

  /** Watches on from a position, at any replica, until enough was seen. */
  const watchOn = async (lastEventId: string, random: Random, isEnough: (seen: Seen[]) => boolean) => {
    const watching = await watch(random.pick(urls), { token, lastEventId })
    assert.equal(watching.status, 200)
    await until('enough was seen', () => isEnough(watching.seen), 180_000)
    watching.stop()
    return watching.seen.map(({ id, event }) => ({ position: id, sequence: sequenceOf(id), event: event.id }))
  }
  /** From anywhere in the stream up to the present, with some breaks. */
  const travel = async (start: string, random: Random) => {
    const seen: Awaited<ReturnType<typeof watchOn>> = []
    for (let breaks = 1; breaks < BREAKS; breaks++) {
      const count = 1 + Math.floor(random.next() ** 4 * 1_000)
      const position = seen.at(-1)?.position ?? start
      const arrived = await watchOn(position, random, ({ length }) => length >= count)
      // The rest is lost with the connection.
      seen.push(...arrived.slice(0, Math.ceil(random.next() * arrived.length)))
    }
    const present = (await nats.info())?.state.last_seq ?? 0
    const isPresent = (those: Seen[]) => sequenceOf(those.at(-1)?.id ?? '--0') > present
    seen.push(...(await watchOn(seen.at(-1)?.position ?? start, random, isPresent)))
    return { after: sequenceOf(start), seen }
  }

  it(`goes on without a gap and without a repetition, ${RESUMES} times at random points`, async (t) => {
    const seed = seedOr(Date.now() % 1_000_000)
    const random = createRandom(seed)
    const { url } = running
    const writer = { url, writers: 4, isUp: async () => {} }
    const other = await running.token({ team: otherTeam })
    const agents = [
      ...(await createAgents({ ...writer, token }, 20)).map((id) => ({ id, token })),
      ...(await createAgents({ ...writer, token: other }, 20)).map((id) => ({ id, token: other })),
    ]
    const writing = startUpdates({ url, agents, perSecond: PER_SECOND })
    const [createdAt, epoch, last] = (await positionNow()).split('-')
    const starts = Array.from(
      { length: RESUMES / BREAKS },
      () => `${createdAt}-${epoch}-${Math.floor(random.next() * Number(last))}`,
    ).values()
    const journeys: Awaited<ReturnType<typeof travel>>[] = []
    await Promise.all(
      Array.from({ length: WATCHERS }, async () => {
        for (const start of starts) journeys.push(await travel(start, random))
      }),
    )
    await writing.stop()
    await until('all is delivered', isDelivered)

    const events = (await nats.readAll()).filter(({ subject }) => subject.includes(team))
    for (const { after: from, seen } of journeys) {
      const upTo = seen.at(-1)?.sequence ?? 0
      const expected = events.filter(({ sequence }) => sequence > from && sequence <= upTo)
      assert.deepEqual(
        seen.map(({ sequence, event }) => `${sequence} ${event}`),
        expected.map(({ sequence, messageId }) => `${sequence} ${messageId}`),
      )
    }
    const total = journeys.reduce((sum, { seen }) => sum + seen.length, 0)
    t.diagnostic(`${RESUMES} watches in ${journeys.length} chains saw ${total} events (seed ${seed})`)
  })

  const positionNow = async () => {
    const watching = await watch(running.url, { token })
    await until('a position arrives', () => watching.position() !== undefined)
    watching.stop()
    return watching.position() as string
  }
})

function sequenceOf(id: string): number {
  return Number(id.split('-')[2])
}
