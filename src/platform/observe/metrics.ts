import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { Backlog } from '../events/outbox.ts'
import { createBudgetMetrics } from './metrics/budgets.ts'
import { type DatabaseObservation, observeAgents, observeDatabase } from './metrics/database.ts'
import { createRelayMetrics, createWatchMetrics, observeBacklog, observeNats } from './metrics/events.ts'
import { createFactory } from './metrics/factory.ts'
import { type ObservedRevocations, observeIssuer, observeRevocations } from './metrics/identity.ts'
import {
  countDroppedAuditEvents,
  createMaintenanceMetrics,
  observeAuditPartitions,
} from './metrics/maintenance.ts'
import { createRedisMetrics } from './metrics/redis.ts'
import { createExchangeMetrics, createServiceMetrics } from './metrics/services.ts'
import { createTurnMetrics } from './metrics/turns.ts'
import { createUpstreamMetrics } from './metrics/upstreams.ts'

interface RequestMeasurement {
  method: string
  route: string
  status: number
  /** The service to which the operation forwards its requests. */
  upstream?: string | undefined
  seconds: number
}

export type Metrics = ReturnType<typeof createMetrics>

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Each server has its own registry, so that two in one process do not share counts. */
export function createMetrics() {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const create = createFactory(registry)

  const requests = create.histogram(
    'console_http_request_duration_seconds',
    'Time from the first byte of a request to the last byte of its response',
    ['method', 'route', 'status', 'upstream'],
  )

  return {
    registry,
    observeRequest: ({ seconds, upstream, ...labels }: RequestMeasurement) =>
      requests.observe(upstream === undefined ? labels : { ...labels, upstream }, seconds),
    upstream: createUpstreamMetrics(create),
    service: createServiceMetrics(create),
    exchanges: () => createExchangeMetrics(create),
    droppedAuditEvents: () => countDroppedAuditEvents(create),
    relay: () => createRelayMetrics(create),
    watch: () => createWatchMetrics(create),
    turns: createTurnMetrics(create),
    maintenance: () => createMaintenanceMetrics(create),
    auditPartitions: () => observeAuditPartitions(create),
    observeBacklog: (latest: () => Backlog | undefined) => observeBacklog(create, latest),
    observeAgents: (latest: () => ReadonlyMap<string, number> | undefined) => observeAgents(create, latest),
    observeDatabase: (observation: DatabaseObservation) => observeDatabase(create, observation),
    observeNats: (isUp: () => boolean) => observeNats(create, isUp),
    observeIssuer: (state: () => string) => observeIssuer(create, state),
    observeRevocations: (revocations: ObservedRevocations) => observeRevocations(create, revocations),
    redis: () => createRedisMetrics(create),
    requestBudgets: () => createBudgetMetrics(create),
  }
}

/** The default metrics of the library, but for the use of the event loop: it would wake the process ten times a second. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: MAX_TIMER_MS })
  for (const kind of ['summary', 'histogram'])
    registry.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`)
}
