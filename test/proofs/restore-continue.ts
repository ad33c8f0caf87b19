import assert from 'node:assert/strict'
import { createRandom } from '../../scripts/seed/random.ts'
import { type RunningConsole, startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { wreak } from '../support/victim.ts'
import type { Follower } from './follower.ts'
import { checkEpochs, revisionsOf, sum, waitingIn } from './restore-check.ts'
import { PATIENCE_MS, type Scene } from './restore-scene.ts'

export interface Restoring {
  ids: string[]
  /** One for each console. */
  followers: Follower[]
  /** While delivery has stopped, and again in the new epoch. */
  updates: number
  /** Of the relay, in the new epoch. */
  kills: number
  /** Replaces the database by an older state of it, while no console and no relay runs. */
  restore: () => Promise<void>
}

/** Restores the database of a scene, and begins a new epoch. Checks that delivery stops until then, that no event is lost or
 * repeated, and that every follower lists the agents again. Returns the figures. */
export async function restoreAndContinue(scene: Scene, restoring: Restoring): Promise<string> {
  const { running, nats, consoles, relay } = scene
  const { ids, followers, updates, kills, restore } = restoring
  await scene.delivered()
  await until('the followers know all', () => knowAll(followers, running), PATIENCE_MS)
  const before = await nats.readAll()
  const lost = await revisionsOf(running)

  const all = [...consoles.map(({ victim }) => victim), relay]
  await Promise.all(all.map((victim) => victim.kill()))
  await restore()
  const restored = await revisionsOf(running)
  const waiting = await waitingIn(running)
  for (const victim of all) await victim.start()
  assert.notDeepEqual(restored, lost)

  // Writes succeed. Nothing is published, nothing is dropped.
  const { acknowledged: stopped } = await scene.write(ids, updates)
  for (const { url } of consoles)
    await until('health reports it', async () => (await deliveryState(url)).state === 'diverged')
  assert.equal((await nats.info())?.state.last_seq, before.length)
  const changes = sum(await revisionsOf(running)) - sum(restored)
  assert.equal((await waitingIn(running)).length, waiting.length + changes)
  for (const follower of followers) assert.equal(follower.refusals(), 0)

  // A new epoch, under load and kills.
  const { acknowledged } = await scene.write(ids, updates, async () => {
    const command = startProcess('scripts/new-epoch.ts', running.environment)
    assert.equal(await command.ended, 0, command.output())
    const startedAt = Date.now()
    await wreak(
      Array.from({ length: kills }, () => relay),
      createRandom(Date.now()),
      () => (Date.now() - startedAt) / (kills * 1_000),
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
  for (const { url } of consoles)
    await until('delivery is current', async () => (await deliveryState(url)).state === 'current')
  return (
    `${sum(lost) - sum(restored)} revisions were lost with the restore; ${stopped.length} updates waited while delivery had ` +
    `stopped; ${stored.length - before.length - 1} events in the new epoch, none lost or repeated; ${kills} kills of a ` +
    'relay; every follower listed once more'
  )
}

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
