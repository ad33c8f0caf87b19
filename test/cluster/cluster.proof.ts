import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sized } from '../support/sized.ts'
import { createStreamLeader } from '../support/stream-leader.ts'
import { SLACK } from '../support/timing.ts'
import { startBareProber } from './bare-prober.ts'
import { check } from './check.ts'
import { startClients } from './clients.ts'
import type { Fault } from './fault.ts'
import { cutCommits } from './faults/cut-commits.ts'
import { cutNetwork } from './faults/cut-network.ts'
import { fillDisk } from './faults/fill-disk.ts'
import { killApi } from './faults/kill-api.ts'
import { killLeader } from './faults/kill-leader.ts'
import { killNatsLeader } from './faults/kill-nats-leader.ts'
import { shiftClock } from './faults/shift-clock.ts'
import { switchOver } from './faults/switch-over.ts'
import { createHistory, type History } from './history.ts'
import { type FaultReport, runFaults, seconds } from './run-faults.ts'
import { createScene, type Scene } from './scene.ts'
import { readStored } from './stored.ts'

/** By default few of each, about six minutes; `npm run proof -- cluster --long` inflicts more than 1,000 faults. */
const CLIENTS = 40
const MAX_ABOVE_BARE_MS = 2_000 * SLACK

function plan({ postgres, natsCluster, nats, apis, cutter }: Scene, history: History): Fault[] {
  const [, second] = apis
  if (!second) throw new Error('There is one API only')
  return [
    killApi(
      apis.map(({ victim }) => victim),
      sized(2, 50),
    ),
    killNatsLeader(createStreamLeader(natsCluster, nats.stream), sized(1, 20)),
    cutCommits(cutter, sized(50, 1_000)),
    shiftClock(second, 2),
    switchOver(postgres, sized(2, 20)),
    killLeader(postgres, sized(1, 20)),
    cutNetwork(postgres, sized(1, 10)),
    fillDisk(postgres, history, 1),
  ]
}

describe('a cluster', () => {
  it('loses no change and no event when parts of it fail, and answers 503 meanwhile', async () => {
    // A diagnostic would appear at the end.
    const tell = (line: string) => void process.stdout.write(`${line}\n`)
    const scene = await createScene()
    try {
      const history = createHistory()
      const identity = { user: randomUUID(), team: randomUUID() }
      const token = cached(() =>
        scene.running.token({ ...identity, scope: 'agent:read agent:write evaluation:write' }),
      )
      const bare = await startBareProber(scene.postgres.url)
      const clients = startClients({
        urls: scene.apis.map(({ url }) => url),
        token,
        clients: CLIENTS,
        history,
      })
      const observed = { history, bare, checkClients: clients.check }
      const faults = runFaults(plan(scene, history), observed, tell)
      // What clients saw is checked also if a part does not come back.
      await faults.catch((error: Error) => {
        tell(`Ended early: ${error.message}`)
        for (const { name, log } of scene.postgres.nodes) tell(`The log of ${name}:\n${log()}`)
      })
      await clients.stop()
      await bare.stop()
      const violations = check(history, await readStored(scene, identity.team))
      assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations`)
      const reports = await faults
      for (const line of describeRun(history, reports)) tell(line)
      for (const { name, consoleMs, bareMs } of reports)
        assert.ok(consoleMs <= bareMs + MAX_ABOVE_BARE_MS, `${name}: ${consoleMs} ms, bare ${bareMs} ms`)
    } finally {
      await scene.close()
    }
  })
})

/** A token lives for an hour. */
function cached(load: () => Promise<string>): () => Promise<string> {
  const MAX_AGE_MS = 600_000
  let token = load()
  let loadedAt = performance.now()
  return () => {
    if (performance.now() - loadedAt > MAX_AGE_MS) {
      loadedAt = performance.now()
      token = load()
    }
    return token
  }
}

function describeRun({ writes, tries }: History, reports: FaultReport[]): string[] {
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged').length
  const unknown = tries.filter(
    ({ method, status, code }) => method !== 'GET' && (status === undefined || code === 'outcome_unknown'),
  ).length
  return [
    `${acknowledged} acknowledged changes by ${CLIENTS} clients, ${writes.length - acknowledged} refused; ` +
      `${tries.length} requests, ${unknown} changes sent without a response that has their outcome`,
    '| fault | count | longest time without a change | bare cluster | responses |',
    '|---|---|---|---|---|',
    ...reports.map(({ name, count: made, consoleMs, bareMs, responses }) => {
      const seen = [...responses].map(([response, times]) => `${response}: ${times}`).toSorted()
      return `| ${name} | ${made} | ${seconds(consoleMs)} | ${seconds(bareMs)} | ${seen.join(', ')} |`
    }),
  ]
}
