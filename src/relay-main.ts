import { readRelayConfig } from './config/relay.ts'
import { startMetricsServer } from './http/metrics-server.ts'
import { close } from './platform/close.ts'
import { createDatabase } from './platform/database/database.ts'
import { createEvents } from './platform/events/events.ts'
import { readBacklog } from './platform/events/outbox.ts'
import { newId } from './platform/new-id.ts'
import { createLog } from './platform/observe/log.ts'
import { createMetrics } from './platform/observe/metrics.ts'
import { createSampler } from './platform/observe/sampler.ts'
import { exitAfterTimeout, onSignal, runMain } from './process.ts'
import { startRelay } from './relay/start.ts'
import { traceIfWanted } from './trace.ts'

/** The relay as a separate process. */
async function main(): Promise<void> {
  const config = readRelayConfig(process.env)
  const log = createLog(config.logLevel)
  // Closes everything in the reverse order.
  const opened = new AsyncDisposableStack()
  const tracing = await traceIfWanted(config, 'agent-console-relay', { log, newId })
  if (tracing) opened.adopt(tracing, close)
  const metrics = createMetrics()
  const database = opened.adopt(createDatabase(config.databaseUrl, log, config.pool), close)
  const events = createEvents(config.events, log)
  opened.defer(() => events.nats.close())
  const backlog = opened.adopt(
    createSampler(() => readBacklog(database.system)),
    close,
  )
  const databaseState = opened.adopt(createSampler(database.state), close)
  metrics.observeBacklog(backlog.latest)
  metrics.observeDatabase({ statistics: database.statistics, state: databaseState.latest })
  metrics.observeNats(events.nats.isUp)
  opened.adopt(await startMetricsServer(metrics.registry, config.metricsPort, config.metricsHost), close)
  const databaseUrl = config.events.relayDatabaseUrl ?? config.databaseUrl
  opened.adopt(startRelay({ ...events, databaseUrl, metrics, log }), close)
  log.info('relay started')

  onSignal(async (signal) => {
    log.info({ signal }, 'shutting down')
    exitAfterTimeout()
    await opened.disposeAsync()
  })
}

runMain(main)
