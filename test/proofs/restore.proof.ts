import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createRandom } from '../../scripts/seed/random.ts'
import { createAgents } from '../support/delivery-writers.ts'
import { fillOutbox } from '../support/outbox-backlog.ts'
import { sized } from '../support/sized.ts'
import { wreak } from '../support/victim.ts'
import { dump } from './dump.ts'
import { type Follower, startFollower } from './follower.ts'
import { checkOrder } from './restore-check.ts'
import { restoreAndContinue } from './restore-continue.ts'
import { createScene } from './restore-scene.ts'

const UPDATES = sized(400, 20_000)
const KILLS = sized(2, 20)
const AGENTS = Math.ceil(UPDATES / 20)
const PHASE = Math.ceil(UPDATES / 4)

describe('a database that is restored from a backup', () => {
  it('stops delivery, drops nothing, and continues in a new epoch, which every watcher notices', async (t) => {
    const scene = await createScene()
    const followers: Follower[] = []
    try {
      const ids = await createAgents(scene.writing, AGENTS)
      for (const { url } of scene.consoles) followers.push(startFollower(() => url, scene.token))

      await scene.write(ids, PHASE)
      const { result: backup } = await scene.write(ids, PHASE, () => dump(scene.running.database.url))
      await scene.write(ids, PHASE)
      const restore = async () => {
        await backup.restore()
        await backup.remove()
      }
      const figures = await restoreAndContinue(scene, {
        ids,
        followers,
        updates: PHASE,
        kills: KILLS,
        restore,
      })
      t.diagnostic(`${AGENTS} agents: ${figures}`)
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
