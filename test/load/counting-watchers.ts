import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { until } from '../support/until.ts'
import { type Watching, watch } from '../support/watching.ts'
import type { CountingCrowd, CrowdReport, Revisions } from './counting-crowd.ts'
import type { LoadTeam } from './load-fleet.ts'

/** Watchers that check the order of the revisions of each agent. */
const { url, teams, watchersPerTeam } = workerData as CountingCrowd

const PATIENCE_MS = 120_000
const RETRY_MS = 500
const COUNT_EVERY_MS = 250
const MAX_FAULTS = 20

const report: CrowdReport = { faults: [], events: 0, reconnects: 0 }
const fault = (text: string) => {
  if (report.faults.length < MAX_FAULTS) report.faults.push(text)
}

interface Watcher {
  team: LoadTeam
  /** The agents exist before the watchers come: the first revision of each is known. */
  seen: Revisions
  watching: Watching
}

function count({ seen, watching }: Watcher): void {
  for (const { event } of watching.seen.splice(0)) {
    const { agent_id: id, revision } = event.data
    const next = (seen.get(id) ?? 1) + 1
    report.events += 1
    if (revision === next) seen.set(id, revision)
    else fault(`after revision ${next - 1} of ${id} came ${revision}`)
  }
}

async function connect(team: LoadTeam, lastEventId?: string): Promise<Watching> {
  for (;;) {
    const watching = await watch(url, { token: team.token, lastEventId }).catch(() => undefined)
    if (watching?.status === 200) return watching
    if (watching?.status === 410) throw new Error('The position of a watcher has expired')
    await sleep(RETRY_MS)
  }
}

async function comeBackWhenDisconnected(watcher: Watcher): Promise<never> {
  for (;;) {
    await watcher.watching.ended
    count(watcher)
    report.reconnects += 1
    watcher.watching = await connect(watcher.team, watcher.watching.position())
  }
}

const crowd: Watcher[] = []
for (const team of teams) {
  const connected = Array.from({ length: watchersPerTeam }, () => connect(team))
  for (const watching of await Promise.all(connected)) crowd.push({ team, seen: new Map(), watching })
}
for (const watcher of crowd) comeBackWhenDisconnected(watcher).catch((error: Error) => fault(error.message))
setInterval(() => {
  for (const watcher of crowd) count(watcher)
}, COUNT_EVERY_MS)

parentPort?.on('message', (expected: Revisions) => void check(expected))
parentPort?.postMessage('watching')

async function check(expected: Revisions): Promise<void> {
  const missing = ({ team, seen }: Watcher) =>
    team.ids.filter((id) => (seen.get(id) ?? 1) !== expected.get(id)).length
  await until(
    'each watcher has seen all',
    () => crowd.every((watcher) => missing(watcher) === 0),
    PATIENCE_MS,
  ).catch(() => {
    for (const watcher of crowd)
      if (missing(watcher) > 0) fault(`a watcher misses revisions of ${missing(watcher)} agents`)
  })
  parentPort?.postMessage(report)
}
