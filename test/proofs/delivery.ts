import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { freePorts } from '../../dev/free-port.ts'
import { createRandom, type Random } from '../../scripts/seed/random.ts'
import { type Acknowledged, checkDelivery } from '../support/delivery-check.ts'
import { createAgents, type Writing, writeUpdates } from '../support/delivery-writers.ts'
import type { TestNats } from '../support/nats.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { seedOr } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { createVictim, startVictim, type Victim, wreak } from '../support/victim.ts'

/** What is proved of the delivery of events: that every revision arrives, in order, whatever is killed meanwhile. */

const WRITERS = 16
const RECOVERY_MS = 120_000

export interface DeliveryProof {
  /** At least so many: the writers go on until the last kill. */
  updates: number
  agents: number
  nats: TestNats
  environment?: Record<string, string>
  /** Who is killed, in this order. */
  plan: (ours: { api: Victim; relay: Victim }, random: Random) => Victim[]
  /** Resolves when NATS has recovered from the last kill. */
  recovered: () => Promise<void>
}

export async function proveDelivery(proof: DeliveryProof, tell: (line: string) => void): Promise<void> {
  const { nats } = proof
  const running = await startConsoleProcess({
    LOG_LEVEL: 'error',
    ...nats.environment,
    ...proof.environment,
  })
  const { api, relay } = await createVictims(running).catch(async (error: unknown) => {
    await running.close()
    throw error
  })
  try {
    const team = randomUUID()
    const token = await running.token({ team })
    const writing = { url: running.url, token, writers: WRITERS, isUp: api.isUp }
    const sent = countRepeated(nats)
    const acknowledged = await writeThroughKills(proof, writing, { api, relay }, tell)

    const endedAt = performance.now()
    await proof.recovered()
    await until('everything is delivered', () => isOutboxEmpty(running), RECOVERY_MS)
    const recoverySeconds = (performance.now() - endedAt) / 1_000
    await nats.reconnected()
    const stored = await nats.readAll()
    const rows = await running.database.query<{ id: string; revision: number }>(
      'SELECT id, revision::int FROM agents',
    )
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
    assert.equal(revisions.size, proof.agents)
    const { subjectPrefix } = nats
    const storedTwice = checkDelivery(stored, { subjectPrefix, team, revisions, acknowledged })
    tell(
      `${stored.length} events in the stream, in order and without a gap; ` +
        `${sent.repeated()} seen to be sent again, ${storedTwice} of them stored again; ` +
        `everything was delivered ${recoverySeconds.toFixed(1)} s after the last write and comeback`,
    )
  } finally {
    await Promise.all([api.kill(), relay.kill()])
    await running.close()
  }
}

/** A relay alone, besides the one in the API. */
async function createVictims(running: RunningConsole) {
  const [port] = await freePorts(1)
  const relay = await startVictim('relay', {
    script: 'src/relay.ts',
    environment: { ...running.environment, METRICS_PORT: String(port) },
    probe: `http://127.0.0.1:${port}/metrics`,
  })
  const { environment, url } = running
  const api = { script: 'src/main.ts', environment, probe: `${url}/health/live` }
  return { api: createVictim('API', running, api), relay }
}

async function writeThroughKills(
  { updates, agents, plan }: DeliveryProof,
  writing: Writing,
  ours: { api: Victim; relay: Victim },
  tell: (line: string) => void,
): Promise<Acknowledged[]> {
  const seed = seedOr(Date.now() % 1_000_000)
  const random = createRandom(seed)
  const victims = plan(ours, random)
  const ids = await createAgents(writing, agents)
  const acknowledged: Acknowledged[] = []
  let isWrecked = false
  let hasFailed = false
  const startedAt = performance.now()
  const wrecking = wreak(victims, random, () => (hasFailed ? undefined : acknowledged.length / updates))
  const isEnough = () => hasFailed || (isWrecked && acknowledged.length >= updates)
  try {
    await Promise.all([
      writeUpdates(writing, ids, acknowledged, isEnough),
      wrecking.then(() => (isWrecked = true)),
    ])
  } catch (error) {
    // Nothing may be started any more once everything is ended.
    hasFailed = true
    await wrecking.catch(() => {})
    throw error
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const kills = Map.groupBy(victims, ({ name }) => name)
  tell(
    `${acknowledged.length} updates of ${agents} agents by ${WRITERS} writers in ${seconds.toFixed(1)} s ` +
      `(${Math.round(acknowledged.length / seconds)}/s) through ${victims.length} kills ` +
      `(${[...kills].map(([name, { length }]) => `${name} ${length}`).join(', ')}; seed ${seed})`,
  )
  return acknowledged
}

async function isOutboxEmpty({ database }: RunningConsole): Promise<boolean> {
  const rows = await database.query('SELECT FROM outbox LIMIT 1')
  return rows.length === 0
}

/** A plain subscriber also sees what the stream drops as a repetition, though not while it is cut off itself. */
function countRepeated({ connection, subjectPrefix }: TestNats): { repeated: () => number } {
  const seen = new Set<string>()
  let repeated = 0
  connection.subscribe(`${subjectPrefix}.>`, {
    callback: (_error, { headers }) => {
      const id = headers?.get('Nats-Msg-Id') ?? ''
      if (seen.has(id)) repeated++
      seen.add(id)
    },
  })
  return { repeated: () => repeated }
}
