import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkDelivery } from '../support/delivery-check.ts'
import { createAgents } from '../support/delivery-writers.ts'
import { createTestNats } from '../support/nats.ts'
import { startPrivateNats } from '../support/private-nats.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'
import { startUpdates, type Update } from '../support/updates-at-a-rate.ts'

const OUTAGE_SECONDS = sized(12, 600)

/** Of which there are some before the outage and as many after it: what changes with time falls on both sides. */
const WINDOW_SECONDS = OUTAGE_SECONDS < 60 ? 1 : 10
const WINDOWS_BESIDE = OUTAGE_SECONDS < 60 ? 2 : 12

/** About a third of what two cores carry. */
const PER_SECOND = 100
const AGENTS = 500
const WARM_UP_MS = 1_500

describe('writes', () => {
  it(`do not notice that NATS is gone for ${OUTAGE_SECONDS} s, and all of them are delivered later`, async (t) => {
    const server = await startPrivateNats()
    const nats = await createTestNats(server.url)
    const running = await startConsoleProcess({ LOG_LEVEL: 'error', ...nats.environment })
    try {
      const { url, database } = running
      const team = randomUUID()
      const token = await running.token({ team })
      const ids = await createAgents({ url, token, writers: 16, isUp: async () => {} }, AGENTS)
      const writing = startUpdates({
        url,
        agents: ids.map((id) => ({ id, token })),
        perSecond: PER_SECOND,
      })
      await sleep(WARM_UP_MS)

      const before = await windows(running, WINDOWS_BESIDE)
      await server.stop()
      const during = await windows(running, Math.floor(OUTAGE_SECONDS / WINDOW_SECONDS))
      await server.start()
      const drained = await drain(running)
      const after = await windows(running, WINDOWS_BESIDE)
      const updates = await writing.stop()

      for (const { health } of [...before, ...during, ...after]) assert.equal(health.status, 'ready')
      assert.equal(during.at(-1)?.health.delivery.state, 'behind')
      for (const { health } of [...before, ...after]) assert.equal(health.delivery.state, 'current')
      await until('all is delivered', async () => (await readHealth(running)).delivery.waiting === 0)
      await nats.reconnected()
      const { subjectPrefix } = nats
      const rows = await database.query<{ id: string; revision: number }>(
        'SELECT id, revision::int FROM agents',
      )
      const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
      const stored = await nats.readAll()
      checkDelivery(stored, { subjectPrefix, team, revisions, acknowledged: updates })

      const [beside, away] = [[...before, ...after], during].map((those) => medianP99(updates, those)) as [
        number,
        number,
      ]
      t.diagnostic(
        `p99 of ${PER_SECOND} PUT/s, median of windows: ${beside.toFixed(1)} ms before and after, ` +
          `${away.toFixed(1)} ms while NATS was away: ${(away / beside).toFixed(2)} times`,
      )
      t.diagnostic(
        `${drained.waiting} events waited when NATS was back, and were delivered in ${drained.seconds.toFixed(1)} s ` +
          `(${Math.round(drained.waiting / drained.seconds)}/s), all ${stored.length} in order`,
      )
      assert.ok(away / beside <= 1.2 * SLACK, `${away / beside} times`)
    } finally {
      await running.close()
      await nats.close()
      await server.remove()
    }
  })
})

interface Health {
  status: string
  delivery: { state: string; waiting: number }
}

interface Window {
  from: number
  to: number
  /** At its end. */
  health: Health
}

/** So many, one after the other. */
async function windows(running: RunningConsole, count: number): Promise<Window[]> {
  const passed: Window[] = []
  while (passed.length < count) {
    const from = performance.now()
    await sleep(WINDOW_SECONDS * 1_000)
    passed.push({ from, to: performance.now(), health: await readHealth(running) })
  }
  return passed
}

function medianP99(updates: Update[], those: Window[]): number {
  const p99s = those.map(({ from, to }) =>
    quantile(
      updates
        .filter(({ sentAt }) => sentAt >= from && sentAt < to)
        .map(({ sentAt, answeredAt }) => answeredAt - sentAt),
      0.99,
    ),
  )
  return quantile(p99s, 0.5)
}

async function readHealth({ url }: RunningConsole): Promise<Health> {
  const response = await fetch(`${url}/health/ready`)
  assert.equal(response.status, 200)
  return (await response.json()) as Health
}

/** Waits until no more events are waiting than a moment of writing leaves there. */
async function drain(running: RunningConsole): Promise<{ waiting: number; seconds: number }> {
  const startedAt = performance.now()
  const { waiting } = (await readHealth(running)).delivery
  await until(
    'the backlog is gone',
    async () => (await readHealth(running)).delivery.waiting < PER_SECOND / 10,
    120_000,
  )
  return { waiting, seconds: (performance.now() - startedAt) / 1_000 }
}
