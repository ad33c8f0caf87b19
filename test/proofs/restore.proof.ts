import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { fillOutbox } from '../../dev/backlog.ts'
import { createRandom } from '../../scripts/seed/random.ts'
import { type RunningConsole, startProcess } from '../acceptance/processes.ts'
import { until } from '../support/until.ts'
import { createAgents } from './delivery-writers.ts'
import { dump } from './dump.ts'
import { type Follower, startFollower } from './follower.ts'
import { checkEpochs, checkOrder, revisionsOf, sum, waitingIn } from './restore-check.ts'
import { createScene, PATIENCE_MS } from './restore-scene.ts'
import { wreak } from './victim.ts'

/** Few in CI; `npm run proof:restore` makes 20,000 updates and kills relays 20 times. */
const UPDATES = Number(process.env['RESTORE_UPDATES'] ?? 1_200)
const KILLS = Number(process.env['RESTORE_KILLS'] ?? 3)
const AGENTS = Math.ceil(UPDATES / 20)
const PHASE = Math.ceil(UPDATES / 4)

describe('a database that is restored from a backup', () => {
  it('stops delivery, drops nothing, and continues in a new epoch, which every watcher notices', async (t) => {
    const scene = await createScene()
    const { running, nats, consoles, relay } = scene
    const followers: Follower[] = []
    try {
      const ids = await createAgents(scene.writing, AGENTS)
      for (const { url } of consoles) followers.push(startFollower(url, scene.token))

      // Before: a backup under load, and more changes after it.
      await scene.write(ids, PHASE)
      const { result: backup } = await scene.write(ids, PHASE, () => dump(running.database.url))
      await scene.write(ids, PHASE)
      await scene.delivered()
      await until('the followers know all', () => knowAll(followers, running), PATIENCE_MS)
      const before = await nats.readAll()
      const lost = await revisionsOf(running)

      // The restore.
      const all = [...consoles.map(({ victim }) => victim), relay]
      await Promise.all(all.map((victim) => victim.kill()))
      await backup.restore()
      await backup.remove()
      const restored = await revisionsOf(running)
      const waiting = await waitingIn(running)
      for (const victim of all) await victim.start()
      assert.notDeepEqual(restored, lost)

      // Writes succeed. Nothing is published, nothing is dropped.
      const { acknowledged: stopped } = await scene.write(ids, PHASE)
      for (const { url } of consoles)
        await until('health reports it', async () => (await deliveryState(url)).state === 'diverged')
      assert.equal((await nats.info())?.state.last_seq, before.length)
      const changes = sum(await revisionsOf(running)) - sum(restored)
      assert.equal((await waitingIn(running)).length, waiting.length + changes)
      assert.deepEqual(
        followers.map((follower) => follower.refusals()),
        [0, 0],
      )

      // A new epoch, under load and kills.
      const { acknowledged } = await scene.write(ids, PHASE, async () => {
        const command = startProcess('scripts/new-epoch.ts', running.environment)
        assert.equal(await command.ended, 0, command.output())
        const random = createRandom(Date.now())
        const startedAt = Date.now()
        await wreak(
          Array.from({ length: KILLS }, () => relay),
          random,
          () => (Date.now() - startedAt) / (KILLS * 1_000),
        )
      })
      await scene.delivered()
      const revisions = await revisionsOf(running)
      const stored = await nats.readAll()
      checkEpochs({ stored, before: before.length, restored, waiting, revisions })
      const found = new Set(stored.map(({ messageId }) => messageId))
      const missing = [...stopped, ...acknowledged].filter(
        ({ id, revision }) => !found.has(`${id}:${revision}:2`),
      )
      assert.deepEqual(missing, [], 'acknowledged and not delivered')
      await until('the followers know all again', () => knowAll(followers, running), PATIENCE_MS)
      for (const follower of followers) assert.equal(follower.refusals(), 1)
      for (const { url } of consoles) assert.equal((await deliveryState(url)).state, 'current')
      t.diagnostic(
        `${sum(lost) - sum(restored)} revisions were lost with the restore of ${AGENTS} agents; ${stopped.length} updates waited ` +
          `while delivery had stopped; ${stored.length - before.length - 1} events in the new epoch, none lost or repeated; ` +
          `${KILLS} kills of a relay; both followers listed once more`,
      )
    } finally {
      await Promise.all(followers.map((follower) => follower.stop()))
      await scene.close()
    }
  })
})

describe('relays that are killed', () => {
  it(`never stop delivery, ${KILLS} times in the middle of a batch, and publish nothing twice`, async (t) => {
    const scene = await createScene({ RELAY: 'off' })
    const { running, nats, relay } = scene
    const [agentsPerTeam, revisions] = [200, KILLS * 20]
    const total = agentsPerTeam * revisions
    try {
      await relay.kill()
      await fillOutbox(running.database.url, { teamIds: [randomUUID()], agentsPerTeam, revisions })
      let unrecorded = 0
      let stored = 0
      nats.connection.subscribe(`${nats.subjectPrefix}.>`, { callback: () => void stored++ })
      await relay.start()
      const victim = {
        ...relay,
        kill: async () => {
          await relay.kill()
          const [row] = await running.database.query<{ last: string }>(
            'SELECT last_sequence AS last FROM event_delivery',
          )
          if (Number(row?.last) < ((await nats.info())?.state.last_seq ?? 0)) unrecorded++
        },
      }
      await wreak(
        Array.from({ length: KILLS }, () => victim),
        createRandom(Date.now()),
        () => stored / total,
      )
      await scene.delivered()
      const events = await nats.readAll()
      assert.equal(events.length, total)
      checkOrder(events, new Map())
      const [row] = await running.database.query<{ diverged: boolean }>(
        'SELECT diverged_at IS NOT NULL AS diverged FROM event_delivery',
      )
      assert.equal(row?.diverged, false)
      t.diagnostic(
        `${total} events through ${KILLS} kills, ${unrecorded} of them after a publish that was not recorded; each is stored once`,
      )
    } finally {
      await scene.close()
    }
  })
})

async function deliveryState(url: string): Promise<{ state: string }> {
  const response = await fetch(`${url}/health/ready`)
  return ((await response.json()) as { delivery: { state: string } }).delivery
}

async function knowAll(followers: Follower[], running: RunningConsole): Promise<boolean> {
  const revisions = await revisionsOf(running)
  return followers.every((follower) => {
    const known = follower.revisions()
    return [...revisions].every(([id, revision]) => known.get(id) === revision)
  })
}
