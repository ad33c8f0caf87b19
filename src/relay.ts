import { newId } from './api/uuid.ts'
import { readRelayConfig } from './config/config.ts'
import { traceIfWanted } from './core.ts'
import { observeBacklog } from './features/events/metrics.ts'
import { readBacklog } from './features/events/outbox.ts'
import { Relay } from './features/events/relay.ts'
import { startMetricsServer } from './http/observe.ts'
import { close, createSampler } from './platform/async.ts'
import { EventStream } from './platform/nats/stream.ts'
import { createLog } from './platform/observe/log.ts'
import { createMetrics } from './platform/observe/metrics.ts'
import { createDatabase } from './platform/postgres/database.ts'
import { exitAfterTimeout, onSignal, runMain } from './platform/process.ts'

/** The relay as a separate process. */
async function main(): Promise<void> {
  const config = readRelayConfig(process.env)
  const log = createLog(config.logLevel)
  // Closes everything in the reverse order.
  const opened = new AsyncDisposableStack()
  const tracing = await traceIfWanted(config, 'agent-console-relay', { log, newId })
  if (tracing) opened.adopt(tracing, close)
  const metrics = createMetrics()
  const database = opened.adopt(createDatabase(config.databaseUrl, log, config.pool, metrics), close)
  const stream = opened.adopt(new EventStream(config.events, log, metrics), close)
  const backlog = opened.adopt(
    createSampler(() => readBacklog(database.system)),
    close,
  )
  observeBacklog(metrics, backlog.latest)
  opened.adopt(await startMetricsServer(metrics.registry, config.metricsPort, config.metricsHost), close)
  const databaseUrl = config.events.relayDatabaseUrl ?? config.databaseUrl
  opened.adopt(new Relay({ stream, databaseUrl, metrics, log }), close)
  log.info('relay started')

  onSignal(async (signal) => {
    log.info({ signal }, 'shutting down')
    exitAfterTimeout()
    await opened.disposeAsync()
  })
}

runMain(main)
