import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, describe, it, type TestContext } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import type { EventStream } from '../../src/platform/nats/stream.ts'
import { agentEvent } from '../support/agent-event.ts'
import { closeAfter } from '../support/close-after.ts'
import { openEventStream } from '../support/event-stream.ts'
import { createTestNats } from '../support/nats.ts'
import { startPrivateNats } from '../support/private-nats.ts'
import { until } from '../support/until.ts'

const AGENTS = 500
const REVISIONS = 8
const LAST = AGENTS * REVISIONS

const [team, otherTeam] = [randomUUID(), randomUUID()]
const neverAborted = new AbortController().signal

async function publishEvents(stream: EventStream) {
  const agents = Array.from({ length: AGENTS }, () => randomUUID())
  for (let revision = 1; revision <= REVISIONS; revision++) {
    await Promise.all(
      agents.map((agentId, n) => {
        const address = { teamId: n % 2 === 0 ? team : otherTeam, agentId }
        return stream.publish(
          address,
          `${agentId}:${revision}`,
          JSON.stringify(agentEvent({ ...address, revision })),
        )
      }),
    )
  }
}

/** The timers that keep this process alive. */
const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

describe('the event stream', async () => {
  const nats = await createTestNats()
  closeAfter(() => nats.remove())
  const events = await openEventStream(nats)
  closeAfter(() => events.close())
  await publishEvents(events)

  const consumers = async () => (await nats.info())?.state.consumer_count

  it('is read for a team between any two sequences', async () => {
    const expected = (await nats.readAll())
      .filter(({ subject }) => subject.includes(team))
      .map(({ sequence }) => sequence)
    for (const [first, to] of [
      [1, LAST],
      [700, 1_300],
      [LAST - 1, LAST],
      [LAST, LAST],
    ] as const) {
      const read = await Array.fromAsync(events.read(team, first, to, neverAborted))
      assert.deepEqual(
        read.map(({ sequence }) => sequence),
        expected.filter((sequence) => sequence >= first && sequence <= to),
      )
      assert.ok(read.every(({ teamId }) => teamId === team))
    }
  })

  it('gives events that keep no memory but their own', async () => {
    for await (const { json } of events.read(team, 1, 100, neverAborted)) {
      assert.equal(json.buffer.byteLength, json.length)
    }
  })

  it('has no fetch in flight while a reader holds an event', async () => {
    const before = timers()
    const reading = events.read(team, 1, LAST, neverAborted)
    await reading.next()
    assert.equal(timers(), before)
    await reading.return(undefined)
  })

  it('keeps no consumer and no timer for a reader that stops early', async () => {
    const before = timers()
    for await (const { sequence } of events.read(team, 1, LAST, neverAborted)) {
      if (sequence > 300) break
    }
    assert.equal(await consumers(), 0)
    assert.equal(timers(), before)
  })

  it('keeps no consumer and no timer for a reader whose signal aborts', async () => {
    const before = timers()
    const leaving = new AbortController()
    let count = 0
    for await (const event of events.read(team, 1, LAST, leaving.signal)) {
      count++
      if (event.sequence > 300) leaving.abort()
    }
    assert.ok(count > 0 && count < LAST / 4, `${count} events`)
    assert.equal(await consumers(), 0)
    assert.equal(timers(), before)
  })

  it('keeps no consumer and no timer for a follower that is aborted before its first event', async () => {
    const own = await openEventStream(nats)
    after(() => own.close())
    const before = timers()
    const leaving = new AbortController()
    const following = own.follow(1, leaving.signal).next()
    leaving.abort()
    assert.deepEqual(await following, { value: undefined, done: true })
    assert.equal(await consumers(), 0)
    await own.close()
    // The connection had a timer of its own.
    await until('no timer is left', () => timers() < before)
  })
})

describe('a reader of an event stream that goes away', () => {
  const startReading = async (t: TestContext) => {
    const server = await startPrivateNats()
    t.after(() => server.remove())
    const nats = await createTestNats(server.url)
    t.after(() => nats.close())
    const events = await openEventStream(nats)
    t.after(() => events.close())
    await publishEvents(events)
    const leaving = new AbortController()
    const reading = events.read(team, 1, LAST, leaving.signal)
    await reading.next()
    return { server, nats, events, leaving, reading }
  }

  it('fails when the stream is deleted', { timeout: 60_000 }, async (t) => {
    const { nats, reading } = await startReading(t)
    await (await jetstreamManager(nats.connection)).streams.delete(nats.stream)
    await assert.rejects(Array.fromAsync(reading))
  })

  it('fails when NATS is gone', { timeout: 60_000 }, async (t) => {
    const { server, events, reading } = await startReading(t)
    await server.kill()
    await until('it is noticed', () => !events.isUp())
    await assert.rejects(Array.fromAsync(reading), /NATS is not connected/)
  })

  it('ends with its signal while NATS hangs', { timeout: 60_000 }, async (t) => {
    const { server, leaving, reading } = await startReading(t)
    const pid = server.pid() as number
    process.kill(pid, 'SIGSTOP')
    const state = () => readFileSync(`/proc/${pid}/status`, 'utf8')
    await until('NATS hangs', () => /^State:\s+T/m.test(state()))
    let count = 1
    const rest = Array.fromAsync(reading, () => count++)
    // Half of the first 64 events are of this team. The next fetch is never answered.
    await until('the first batch is read', () => count === 32)
    leaving.abort()
    process.kill(pid, 'SIGCONT')
    await rest
    assert.equal(count, 32)
  })
})
