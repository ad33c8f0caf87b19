import { parentPort, workerData } from 'node:worker_threads'
import { until } from '../support/until.ts'
import { type Watching, watch } from '../support/watching.ts'
import type { Crowd, Sightings } from './crowd.ts'

/** Watchers, each on a connection of its own. What they saw is compared once it is told what they should have seen. */
const { url, watchers } = workerData as Crowd

const AT_ONCE = 50
const PATIENCE_MS = 60_000

const crowd: { team: string; watching: Watching; ended?: string }[] = []
const coming = watchers.values()
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const { team, token } of coming) {
      const watching = await watch(url, { token })
      if (watching.status !== 200) throw new Error(`A watcher was answered ${watching.status}`)
      const watcher: (typeof crowd)[number] = { team, watching }
      void watching.ended.then((how) => (watcher.ended = how))
      crowd.push(watcher)
    }
  }),
)

parentPort?.on('message', (expected: Map<string, string[]>) => void compare(expected))
parentPort?.postMessage('watching')

async function compare(expected: Map<string, string[]>): Promise<void> {
  const hasAll = () =>
    crowd.every(({ team, watching }) => watching.seen.length >= (expected.get(team)?.length ?? 0))
  await until('every watcher has seen every event', hasAll, PATIENCE_MS).catch(() => {})
  const faults: string[] = []
  let events = 0
  for (const { team, watching, ended } of crowd) {
    const own = expected.get(team) ?? []
    const seen = watching.seen.map(({ event }) => event.id)
    events += seen.length
    if (ended) faults.push(`a watcher was ${ended}`)
    if (seen.join() !== own.join())
      faults.push(`of ${own.length} events, a watcher saw ${seen.length} or others`)
  }
  parentPort?.postMessage({ faults, events } satisfies Sightings)
}
