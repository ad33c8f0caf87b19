import { randomUUID } from 'node:crypto'
import { freePorts } from '../../dev/free-port.ts'
import type { TestDatabase } from '../support/database.ts'
import type { Acknowledged } from '../support/delivery-check.ts'
import { writeUpdates } from '../support/delivery-writers.ts'
import { createTestNats, type TestNats } from '../support/nats.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { createVictim, startVictim } from '../support/victim.ts'
import { waitingIn } from './restore-check.ts'

export const PATIENCE_MS = 120_000

export type Scene = Awaited<ReturnType<typeof createScene>>

/** Two consoles and a relay on one database, with a stream of their own. */
export async function createScene(environment: Record<string, string> = {}, database?: TestDatabase) {
  const nats = await createTestNats()
  const running = await startConsoleProcess({
    LOG_LEVEL: 'error',
    ...nats.environment,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...environment,
  })
  return startOthers(database ? { ...running, database } : running, nats).catch(async (error: unknown) => {
    await running.close()
    await nats.remove()
    throw error
  })
}

async function startOthers(running: RunningConsole, nats: TestNats) {
  const token = await running.token({ team: randomUUID() })
  const [port, metricsPort, relayPort] = await freePorts(3)
  const otherUrl = `http://127.0.0.1:${port}`
  const other = await startVictim('second console', {
    script: 'src/main.ts',
    probe: `${otherUrl}/health/live`,
    environment: { ...running.environment, PORT: String(port), METRICS_PORT: String(metricsPort) },
  })
  const relay = await startVictim('relay', {
    script: 'src/relay.ts',
    probe: `http://127.0.0.1:${relayPort}/metrics`,
    environment: { ...running.environment, METRICS_PORT: String(relayPort) },
  })
  const first = createVictim('console', running, {
    script: 'src/main.ts',
    environment: running.environment,
    probe: `${running.url}/health/live`,
  })
  const writing = { url: running.url, token, writers: 8, isUp: first.isUp }
  return {
    running,
    nats,
    token,
    writing,
    consoles: [
      { url: running.url, victim: first },
      { url: otherUrl, victim: other },
    ],
    relay,
    /** Makes at least so many updates, until `during` is done. */
    write: async <Result = void>(ids: string[], count: number, during?: () => Promise<Result>) => {
      const acknowledged: Acknowledged[] = []
      let isDone = during === undefined
      const done = Promise.resolve(during?.()).finally(() => (isDone = true))
      const [result] = await Promise.all([
        done,
        writeUpdates(writing, ids, acknowledged, () => isDone && acknowledged.length >= count),
      ])
      return { acknowledged, result: result as Result }
    },
    delivered: () =>
      until('everything is delivered', async () => (await waitingIn(running)).length === 0, PATIENCE_MS),
    close: async () => {
      await Promise.all([first, other, relay].map((victim) => victim.kill()))
      await running.close()
      await nats.remove()
    },
  }
}
