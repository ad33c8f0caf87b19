import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createDeps } from './deps.ts'
import { startMetricsServer } from './http/metrics-server.ts'
import { startMaintenance } from './maintenance/start.ts'
import { maintenanceSteps } from './maintenance-steps.ts'
import { exitAfterTimeout, runMain } from './process.ts'
import { startRelay } from './relay/start.ts'
import { traceIfWanted } from './trace.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const deps = createDeps(config)
  const tracing = await traceIfWanted(config, 'agent-console', deps)
  const { log, shutdown, database, metrics, evolution, events, redis, services, outbound } = deps

  const app = await buildApp(deps)
  const metricsServer = await startMetricsServer(metrics.registry, config.metricsPort, config.metricsHost)
  // Beyond the backlog Linux ignores new connections, and their clients try again only after a second.
  await app.listen({ host: config.host, port: config.port, backlog: 4_096 })
  const databaseUrl = config.events?.relayDatabaseUrl
  const relay = events && databaseUrl && startRelay({ ...deps, ...events, databaseUrl })
  const maintenance =
    config.maintenance &&
    startMaintenance({
      ...deps,
      databaseUrl: config.databaseUrl,
      steps: maintenanceSteps(config.maintenance, deps),
    })
  if (config.maintenance?.auditSigningKeys.length === 0) {
    log.warn('AUDIT_SIGNING_KEY is not set: changes of audit records cannot be detected')
  }
  if (!redis) {
    const replicas = config.budgetReplicas
    log.warn({ replicas }, 'REDIS_URL is not set: each replica counts its own share of the request budgets')
  }
  if (!events) log.warn('NATS_URL is not set: events are not delivered and the outbox grows')

  const shutDown = async (signal: string) => {
    // A second signal ends the process at once.
    if (shutdown.hasBegun) process.exit(1)
    shutdown.hasBegun = true
    log.info({ signal, delay_ms: config.shutdownDelayMs }, 'shutting down')
    // Keep serving until load balancers have seen that this replica is no longer ready.
    await new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs))
    // A client that never finishes its request must not prevent the exit.
    const timer = setTimeout(() => {
      app.server.closeAllConnections()
      exitAfterTimeout()
    }, config.shutdownTimeoutMs)
    await app.close()
    clearTimeout(timer)
    exitAfterTimeout()
    await Promise.all([relay && relay.close(), maintenance?.close(), outbound.close()])
    await Promise.all([database.close(), evolution?.close(), events?.nats.close(), services.close()])
    redis?.close()
    metricsServer.close()
    await tracing?.close()
    log.info('shut down')
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void shutDown(signal))
}

runMain(main)
