import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../../scripts/migrate.ts'
import { openDatabase } from '../support/database.ts'
import type { Acknowledged } from '../support/delivery-check.ts'
import { createAgents } from '../support/delivery-writers.ts'
import { createMovingAddress } from '../support/moving-address.ts'
import { createRepository } from '../support/pgbackrest.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'
import { REVISION_GAPS } from '../support/revisions.ts'
import { sized } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { startFollower } from './follower.ts'
import { revisionsOf } from './restore-check.ts'
import { restoreAndContinue } from './restore-continue.ts'
import { createScene } from './restore-scene.ts'

const UPDATES = sized(400, 20_000)
const KILLS = sized(1, 20)
const AGENTS = Math.ceil(UPDATES / 20)
const PHASE = Math.ceil(UPDATES / 4)

/** Before and after the chosen time. */
const LOAD_MS = 500

const SETTINGS = ['archive_mode=on']

it('a restore to a time has every change that was acknowledged before it and none that was sent after it', async (t) => {
  const cleanUp: (() => Promise<unknown>)[] = []
  try {
    const repository = await createRepository()
    cleanUp.unshift(repository.remove)
    const primary = await startPrivatePostgres({ settings: SETTINGS })
    cleanUp.unshift(primary.remove)
    await migrate(primary.url, () => {})
    const archive = await repository.attach(primary)
    const address = await createMovingAddress(primary.url)
    cleanUp.unshift(address.close)
    const database = openDatabase(address.url)
    cleanUp.unshift(database.drop)
    const scene = await createScene({}, database)
    cleanUp.unshift(scene.close)
    const followers = scene.consoles.map(({ url }) => startFollower(() => url, scene.token))
    cleanUp.unshift(() => Promise.all(followers.map((follower) => follower.stop())))

    const ids = await createAgents(scene.writing, AGENTS)
    const seconds: Record<string, number> = {}
    const timed = async <Result>(what: string, work: () => Promise<Result>) => {
      const startedAt = performance.now()
      const result = await work()
      seconds[what] = (performance.now() - startedAt) / 1_000
      return result
    }
    const acknowledged: Acknowledged[] = []
    for (const type of ['full', 'incr'] as const) {
      const written = await scene.write(ids, PHASE, () => timed(`${type} backup`, () => archive.backUp(type)))
      acknowledged.push(...written.acknowledged)
    }
    const { acknowledged: last, result: time } = await scene.write(ids, PHASE, async () => {
      await sleep(LOAD_MS)
      const chosen = new Date()
      await sleep(LOAD_MS)
      return chosen
    })
    acknowledged.push(...last)
    await archive.archived()

    const restore = async () => {
      await primary.stop('immediate')
      const target = time.toISOString().replace('T', ' ').replace('Z', '+00')
      const restored = await timed('restore', async () => {
        const server = await startPrivatePostgres({
          settings: SETTINGS,
          fill: (data) => archive.restoreTo(data, target),
        })
        cleanUp.push(server.remove)
        address.moveTo(server.url)
        await until('the restored server accepts writes', async () => {
          const [row] = await database.query<{ isDone: boolean }>(
            'SELECT NOT pg_is_in_recovery() AS "isDone"',
          )
          return row?.isDone === true
        })
        return server
      })
      const revisions = await revisionsOf(scene.running)
      const isThere = ({ id, revision }: Acknowledged) => revision <= (revisions.get(id) ?? 0)
      const before = acknowledged.filter(({ answeredAt }) => answeredAt < time.getTime())
      const after = acknowledged.filter(({ sentAt }) => sentAt > time.getTime())
      assert.ok(before.length > 0 && after.length > 0, `${before.length} before, ${after.length} after`)
      assert.deepEqual(
        before.filter((change) => !isThere(change)),
        [],
      )
      assert.deepEqual(after.filter(isThere), [])
      assert.deepEqual(await database.query(REVISION_GAPS), [])
      t.diagnostic(`${before.length} changes before the time are there, ${after.length} after it are not`)
      // The new timeline is archived and backed up in the same repository.
      const next = await repository.attach(restored)
      await timed('backup after the restore', () => next.backUp('incr'))
    }
    const figures = await restoreAndContinue(scene, { ids, followers, updates: PHASE, kills: KILLS, restore })
    const times = Object.entries(seconds).map(([what, each]) => `${what} ${each.toFixed(1)} s`)
    t.diagnostic(`${AGENTS} agents, ${times.join(', ')}; ${figures}`)
  } finally {
    for (const clean of cleanUp) await clean()
  }
})
