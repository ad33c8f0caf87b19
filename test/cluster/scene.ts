import { freePorts } from '../../dev/free-port.ts'
import { migrate } from '../../scripts/migrate.ts'
import { allGrants } from '../support/grants.ts'
import { createTestNats, type TestNats } from '../support/nats.ts'
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts'
import { onServer } from '../support/on-server.ts'
import { startPrivateRedis } from '../support/private-redis.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { createVictim, type ProcessVictim, startVictim } from '../support/victim.ts'
import { type CommitCutter, startCommitCutter } from './commit-cutter.ts'
import { type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts'

/** Everything that a deployment has: three nodes of PostgreSQL and of NATS, Redis with a replica, two APIs, a relay. */
export interface Scene {
  postgres: PostgresCluster
  natsCluster: NatsCluster
  nats: TestNats
  running: RunningConsole
  apis: { url: string; victim: ProcessVictim }[]
  /** Between the APIs and PostgreSQL. */
  cutter: CommitCutter
  /** Leads to the database of the console, as a superuser. */
  databaseUrl: string
  close: () => Promise<void>
}

const NODES = 3

export async function createScene(): Promise<Scene> {
  const cleanUp: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const step of cleanUp.splice(0).toReversed()) await step()
  }
  try {
    const postgres = await startPostgresCluster(NODES)
    cleanUp.push(postgres.remove)
    const databaseUrl = await createDatabase(postgres.url)
    const natsCluster = await startNatsCluster(NODES)
    cleanUp.push(natsCluster.remove)
    const nats = await createTestNats(natsCluster.urls)
    cleanUp.push(nats.close)
    const redis = await startPrivateRedis()
    cleanUp.push(redis.remove)
    const replica = await startPrivateRedis(redis)
    cleanUp.push(replica.remove)
    const cutter = await startCommitCutter(asConsole(databaseUrl))
    cleanUp.push(cutter.close)
    const environment = {
      ...{ LOG_LEVEL: 'error', RELAY: 'off', DATABASE_URL: cutter.url, DATABASE_MAX_WAIT_MS: '300' },
      ...{ REDIS_URL: redis.url, NATS_REPLICAS: String(NODES), ...nats.environment },
    }
    const running = await startConsoleProcess(environment)
    cleanUp.push(running.close)
    const apis = [useFirst(running), await startSecond(running)]
    cleanUp.push(() => Promise.all(apis.map(({ victim }) => victim.kill())))
    const relay = await startRelay(running, asConsole(databaseUrl))
    cleanUp.push(relay.kill)
    return { postgres, natsCluster, nats, running, apis, cutter, databaseUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The role that serves has the grants of the operating manual, and no others. */
async function createDatabase(serverUrl: string): Promise<string> {
  const url = serverUrl.replace(/postgres$/, 'console')
  await onServer(serverUrl, (server) => server.query('CREATE DATABASE console'))
  await migrate(url, () => {})
  await onServer(url, (database) => database.query(`CREATE ROLE console LOGIN; ${allGrants()}`))
  return url
}

const asConsole = (url: string) => url.replace('postgres@', 'console@')

function useFirst(running: RunningConsole) {
  const { environment, url } = running
  const again = { script: 'src/main.ts', environment, probe: `${url}/health/live` }
  return { url, victim: createVictim('first API', running, again) }
}

async function startSecond(running: RunningConsole) {
  const [port, metricsPort] = await freePorts(2)
  const url = `http://127.0.0.1:${port}`
  const victim = await startVictim('second API', {
    script: 'src/main.ts',
    environment: { ...running.environment, PORT: String(port), METRICS_PORT: String(metricsPort) },
    probe: `${url}/health/live`,
  })
  return { url, victim }
}

async function startRelay(running: RunningConsole, databaseUrl: string): Promise<ProcessVictim> {
  const [port] = await freePorts(1)
  return startVictim('relay', {
    script: 'src/relay.ts',
    environment: { ...running.environment, DATABASE_URL: databaseUrl, METRICS_PORT: String(port) },
    probe: `http://127.0.0.1:${port}/metrics`,
  })
}
