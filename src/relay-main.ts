import { readRelayConfig } from './config/relay.ts'
import { startMetricsServer } from './http/metrics-server.ts'
import { createDatabase } from './platform/database/database.ts'
import { createEvents } from './platform/events/events.ts'
import { readBacklog } from './platform/events/outbox.ts'
import { newId } from './platform/new-id.ts'
import { createLog } from './platform/observe/log.ts'
import { createMetrics } from './platform/observe/metrics.ts'
import { createSampler } from './platform/observe/sampler.ts'
import { exitAfterTimeout, runMain } from './process.ts'
import { startRelay } from './relay/start.ts'
import { traceIfWanted } from './trace.ts'

/** The relay as a separate process. */
async function main(): Promise<void> {
  const config = readRelayConfig(process.env)
  const log = createLog(config.logLevel)
  const tracing = await traceIfWanted(config, 'agent-console-relay', { log, newId })
  const metrics = createMetrics()
  const database = createDatabase(config.databaseUrl, log, config.pool)
  const events = createEvents(config.events, log)
  const backlog = createSampler(() => readBacklog(database.system))
  const databaseState = createSampler(database.state)
  metrics.observeBacklog(backlog.latest)
  metrics.observeDatabase({ statistics: database.statistics, state: databaseState.latest })
  metrics.observeNats(events.nats.isUp)
  const metricsServer = await startMetricsServer(metrics.registry, config.metricsPort, config.metricsHost)
  const databaseUrl = config.events.relayDatabaseUrl ?? config.databaseUrl
  const relay = startRelay({ ...events, databaseUrl, metrics, log })
  log.info('relay started')

  const shutDown = async (signal: string) => {
    log.info({ signal }, 'shutting down')
    exitAfterTimeout()
    backlog.close()
    databaseState.close()
    await relay.close()
    await Promise.all([events.nats.close(), database.close()])
    metricsServer.close()
    await tracing?.close()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void shutDown(signal))
}

runMain(main)
