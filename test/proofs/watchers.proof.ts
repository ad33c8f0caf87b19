import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgents } from '../support/delivery-writers.ts'
import { measureMemory, observeMemory, TELLS_MEMORY } from '../support/memory.ts'
import { createTestNats, type StreamEvent, type TestNats } from '../support/nats.ts'
import { fillOutbox } from '../support/outbox-backlog.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'
import { startUpdates } from '../support/updates-at-a-rate.ts'
import { canBeWatched, type Seen, type Watching, watch } from '../support/watching.ts'
import { gatherCrowd, type WatchingCrowd } from './crowd.ts'
import { stall } from './stalled-watcher.ts'

const WATCHERS = sized(300, 1_000)
const SECONDS = sized(4, 30)
const TEAMS = 20
const AGENTS_PER_TEAM = 10
const PER_SECOND = 100

/** More than the 4 MiB that the system keeps for each. */
const FLOOD = { agentsPerTeam: 1_000, revisions: 12 }
const STALLED = sized(20, 50)
/** 256 KiB, and what it costs to keep them. */
const MOST_FOR_A_STALLED_ONE = 400 * 1024
/** Most of it is what the events leave behind until it is worth collecting, stalled watchers or not. */
const MOST_GROWTH = 256 * 1024 * 1024
const FLOOD_EVENTS = FLOOD.agentsPerTeam * FLOOD.revisions

describe(`${WATCHERS} watchers of one process`, () => {
  let nats: TestNats
  let running: RunningConsole
  let crowd: WatchingCrowd
  let updated: { team: string; token: string; id: string }[]

  const isDelivered = () =>
    until(
      'all is delivered',
      async () => (await running.database.query('SELECT FROM outbox LIMIT 1')).length === 0,
    )
  const newTeam = async () => {
    const team = randomUUID()
    return { team, token: await running.token({ team }) }
  }

  before(async () => {
    nats = await createTestNats()
    running = await startConsoleProcess({
      LOG_LEVEL: 'error',
      // The watchers of a team are one user here.
      ...nats.environment,
      ...TELLS_MEMORY,
    })
    const { url } = running
    const teams = await Promise.all(Array.from({ length: TEAMS }, newTeam))
    const created = teams.map(async ({ team, token }) => {
      const ids = await createAgents({ url, token, writers: 1, isUp: async () => {} }, AGENTS_PER_TEAM)
      return ids.map((id) => ({ team, token, id }))
    })
    updated = (await Promise.all(created)).flat()
    await canBeWatched(url, teams[0]?.token ?? '')
    await isDelivered()
  })
  after(async () => {
    await crowd?.leave()
    await running.close()
    await nats.remove()
  })

  it(`see every change of their team, in order, and none of another, at ${PER_SECOND} updates a second`, async (t) => {
    const { url } = running
    const told = (await nats.readAll()).length
    const alone = await measureMemory(running)
    const watchers = Array.from(
      { length: WATCHERS },
      (_, n) => updated[(n * AGENTS_PER_TEAM) % updated.length],
    )
    crowd = await gatherCrowd({ url, watchers: watchers as typeof updated })
    const watched = await measureMemory(running)
    const writing = startUpdates({ url, agents: updated, perSecond: PER_SECOND })
    await sleep(SECONDS * 1_000)
    const updates = await writing.stop()
    await isDelivered()
    const events = (await nats.readAll()).slice(told)
    assert.equal(events.length, updates.length)
    const { faults, events: seen } = await crowd.compare(idsByTeam(events))
    assert.deepEqual(faults, [])
    const busy = await measureMemory(running)
    t.diagnostic(`${updates.length} updates of ${TEAMS} teams, seen ${seen} times by ${WATCHERS} watchers`)
    t.diagnostic(
      `memory of a watcher: ${perWatcher(alone.rss, watched.rss)} resident and ` +
        `${perWatcher(held(alone), held(watched))} held, idle; after the updates ` +
        `${perWatcher(alone.rss, busy.rss)} and ${perWatcher(held(alone), held(busy))}`,
    )
  })

  it('do not pay for those who stop reading: these are cut off, and lose nothing by coming back', async (t) => {
    const { url } = running
    const flood = async (team: string, reader: Watching) => {
      await fillOutbox(running.database.url, { teamIds: [team], ...FLOOD })
      await reader.waitFor(FLOOD_EVENTS)
      reader.stop()
    }
    // What the process has of the newest events in any case. The first flood leaves more behind than later ones.
    for (const earlier of [await newTeam(), await newTeam()])
      await flood(earlier.team, await watch(url, earlier))
    const { team, token } = await newTeam()
    const [stalled, reader] = await Promise.all([
      Promise.all(Array.from({ length: STALLED }, () => stall(url, token))),
      watch(url, { token }),
    ])
    const told = (await nats.info())?.state.last_seq ?? 0
    const quiet = await measureMemory(running)
    const memory = observeMemory(running)
    await flood(team, reader)
    const growth = memory.stop() - quiet.rss
    const kept = held(await measureMemory(running)) - held(quiet)

    const events = (await nats.readAll()).slice(told)
    assert.deepEqual(ids(reader.seen), idsAfter(events, 0))
    const cutOff = await Promise.all(stalled.map(({ readOn }) => readOn()))
    for (const { lastEventId } of cutOff) {
      const sequence = Number(lastEventId?.split('-')[2])
      const missed = idsAfter(events, sequence)
      assert.ok(missed.length > 0, 'one who did not read was told everything')
      const back = await watch(url, { token, lastEventId })
      await back.waitFor(missed.length)
      back.stop()
      assert.deepEqual(ids(back.seen), missed)
    }
    t.diagnostic(
      `${STALLED} stalled during ${FLOOD_EVENTS} events: cut off after ` +
        `${kibibytes(Math.max(...cutOff.map(({ bytes }) => bytes)))} at most, nearly all of it in the buffers of the ` +
        `system; the process grew by ${kibibytes(growth)} at most and held on to ${kibibytes(kept)}`,
    )
    assert.ok(kept < STALLED * MOST_FOR_A_STALLED_ONE, kibibytes(kept))
    assert.ok(growth < MOST_GROWTH * SLACK, kibibytes(growth))
  })
})

function ids(seen: Seen[]): string[] {
  return seen.map(({ event }) => event.id)
}

function idsAfter(events: StreamEvent[], sequence: number): string[] {
  return events.filter((event) => event.sequence > sequence).map(({ messageId }) => messageId)
}

function idsByTeam(events: StreamEvent[]): Map<string, string[]> {
  const byTeam = Map.groupBy(events, ({ subject }) => subject.split('.').at(-2) as string)
  return new Map([...byTeam].map(([team, own]) => [team, own.map(({ messageId }) => messageId)]))
}

function held({ heapUsed, external }: NodeJS.MemoryUsage): number {
  return heapUsed + external
}

function perWatcher(before: number, now: number): string {
  return kibibytes((now - before) / WATCHERS)
}

function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`
}
