import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createDeps } from './deps.ts'
import { startMetricsServer } from './http/metrics-server.ts'
import { exitSoon, run } from './process.ts'
import { startRelay } from './relay/start.ts'

/** Environment, build, listen, and close on a signal. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const deps = createDeps(config)
  const { log, shutdown, database, metrics, evolution, events, services } = deps

  const app = await buildApp(deps)
  const metricsServer = await startMetricsServer(metrics.registry, config.metricsPort, config.host)
  await app.listen({ host: config.host, port: config.port })
  const databaseUrl = config.events?.relayDatabaseUrl
  const relay = events && databaseUrl && startRelay({ ...deps, ...events, databaseUrl })
  if (!events) log.warn('NATS_URL is not set: events are not delivered and the outbox grows')

  const end = async (signal: string) => {
    // Whoever asks twice does not want to wait.
    if (shutdown.hasBegun) process.exit(1)
    shutdown.hasBegun = true
    log.info({ signal, delay_ms: config.shutdownDelayMs }, 'shutting down')
    // Load balancers need a moment to see that this replica is no longer ready. It goes on serving until
    // then, and asks each client to take its next request elsewhere.
    await new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs))
    // A client that never ends its request must not keep the process for ever.
    const patience = setTimeout(() => app.server.closeAllConnections(), config.shutdownPatienceMs)
    await app.close()
    clearTimeout(patience)
    exitSoon()
    await (relay && relay.close())
    await Promise.all([database.close(), evolution?.close(), events?.nats.close(), services.close()])
    metricsServer.close()
    log.info('shut down')
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void end(signal))
}

run(main)
