import { type App, buildApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { openCore, traceIfWanted } from './core.ts'
import { Relay } from './features/events/relay.ts'
import { startMetricsServer } from './http/observe.ts'
import { close } from './platform/async.ts'
import { startMaintenance } from './platform/postgres/maintenance.ts'
import { exitAfterTimeout, onSignal, runMain } from './platform/process.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  // Closes everything in the reverse order.
  const opened = new AsyncDisposableStack()
  const core = opened.adopt(openCore(config), close)
  const tracing = await traceIfWanted(config, 'agent-console', core)
  if (tracing) opened.adopt(tracing, close)
  const { log, shutdown, metrics, events, redis } = core

  const app = await buildApp(core)
  opened.adopt(await startMetricsServer(metrics.registry, config.metricsPort, config.metricsHost), close)
  const databaseUrl = config.events?.relayDatabaseUrl
  if (events && databaseUrl) {
    opened.adopt(new Relay({ stream: events, databaseUrl, metrics, log }), close)
  }
  if (config.runsMaintenance) opened.adopt(startMaintenance(core, app.backgroundSteps), close)
  opened.defer(() => closeServer(app, config.shutdownTimeoutMs))
  // Beyond the backlog Linux ignores new connections, and their clients try again only after a second.
  await app.listen({ host: config.host, port: config.port, backlog: 4_096 })
  if (!redis) {
    const replicas = config.budgetReplicas
    log.warn({ replicas }, 'REDIS_URL is not set: each replica counts its own share of the request budgets')
  }
  if (!events) log.warn('NATS_URL is not set: events are not delivered and the outbox grows')

  onSignal(async (signal) => {
    shutdown.hasBegun = true
    log.info({ signal, delay_ms: config.shutdownDelayMs }, 'shutting down')
    // Keep serving until load balancers have seen that this replica is no longer ready.
    await new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs))
    await opened.disposeAsync()
    log.info('shut down')
  })
}

/** Waits for open requests. A client that never finishes its request must not prevent the exit. */
async function closeServer(app: App, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => {
    app.server.closeAllConnections()
    exitAfterTimeout()
  }, timeoutMs)
  await app.close()
  clearTimeout(timer)
  exitAfterTimeout()
}

runMain(main)
