import { once } from 'node:events'
import { ConfigInvalid, readRelayConfig } from './config.ts'
import { createEvents } from './deps.ts'
import { createMetricsServer } from './http/metrics-server.ts'
import { createDatabase } from './platform/database.ts'
import { createLog } from './platform/log.ts'
import { createMetrics } from './platform/metrics.ts'
import { readBacklog } from './platform/outbox.ts'
import { startRelay } from './relay/start.ts'

const CLOSED_WITHIN_MS = 10_000

/** A relay alone, for where the API should do nothing else. */
async function main(): Promise<void> {
  const config = readRelayConfig(process.env)
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  const database = createDatabase(config.databaseUrl, log)
  const events = createEvents(config.events, log)
  metrics.observeBacklog(() => readBacklog(database))
  const metricsServer = createMetricsServer(metrics.registry)
  metricsServer.listen(config.metricsPort, config.host)
  await once(metricsServer, 'listening')
  const databaseUrl = config.events.relayDatabaseUrl ?? config.databaseUrl
  const relay = startRelay({ ...events, databaseUrl, metrics, log })
  log.info('relaying')

  const end = async (signal: string) => {
    log.info({ signal }, 'ending')
    // A connection whose other side is gone without a word would never close.
    setTimeout(() => process.exit(0), CLOSED_WITHIN_MS).unref()
    await relay.close()
    await Promise.all([events.nats.close(), database.close()])
    metricsServer.close()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void end(signal))
}

main().catch((error: unknown) => {
  const text = error instanceof ConfigInvalid ? error.message : `Could not start: ${(error as Error).stack}`
  process.stderr.write(`${text}\n`, () => process.exit(1))
})
