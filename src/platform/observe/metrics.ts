import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Backlog } from '../events/outbox.ts'
import type { Lanes } from '../fairness/lanes.ts'
import { observeAgents } from './metrics/agents.ts'
import { countDroppedAuditEvents, observeAuditPartitions, observeAuditSeals } from './metrics/audit.ts'
import { type BudgetMetrics, createBudgetMetrics } from './metrics/budgets.ts'
import { type ConnectionMetrics, createConnectionMetrics } from './metrics/connections.ts'
import { type DatabaseObservation, observeDatabase } from './metrics/database.ts'
import { createRelayMetrics, observeBacklog, observeNats, type RelayMetrics } from './metrics/delivery.ts'
import { createFactory } from './metrics/factory.ts'
import { type ObservedRevocations, observeIssuer, observeRevocations } from './metrics/identity.ts'
import { createLaneMetrics, type LaneMetrics } from './metrics/lanes.ts'
import { createMaintenanceMetrics, type MaintenanceMetrics } from './metrics/maintenance.ts'
import { createRedisMetrics, type RedisMetrics } from './metrics/redis.ts'
import {
  createExchangeMetrics,
  createServiceMetrics,
  type ExchangeMetrics,
  type ServiceMetrics,
} from './metrics/services.ts'
import { createUpstreamMetrics, type UpstreamMetrics } from './metrics/upstreams.ts'
import { createWatchMetrics, type WatchMetrics } from './metrics/watch.ts'

interface RequestMeasurement {
  method: string
  route: string
  status: number
  /** The service to which the operation forwards its requests. */
  upstream?: string | undefined
  seconds: number
}

export interface Metrics {
  registry: Registry
  observeRequest: (measurement: RequestMeasurement) => void
  upstream: (name: string) => UpstreamMetrics
  relay: () => RelayMetrics
  watch: () => WatchMetrics
  lanes: (lanes: Lanes) => LaneMetrics
  maintenance: () => MaintenanceMetrics
  /** Returns the function that sets for how many months after the current one the audit log has partitions. */
  auditPartitions: () => (monthsAhead: number) => void
  /** Returns the function that sets the time up to which the audit log is sealed, in milliseconds since the epoch. */
  auditSeals: () => (sealedUntilMs: number) => void
  connections: () => ConnectionMetrics
  /** Undefined if the backlog is not known. */
  observeBacklog: (latest: () => Backlog | undefined) => void
  /** Agents by trust stage. Undefined if they are not known. */
  observeAgents: (latest: () => ReadonlyMap<string, number> | undefined) => void
  observeDatabase: (observation: DatabaseObservation) => void
  observeNats: (isUp: () => boolean) => void
  /** Whether its keys could be read, as a state of health. */
  observeIssuer: (state: () => string) => void
  observeRevocations: (revocations: ObservedRevocations) => void
  service: (name: string) => ServiceMetrics
  exchanges: () => ExchangeMetrics
  /** Returns the function that counts calls of services that are missing in the audit log. */
  droppedAuditEvents: () => (count: number) => void
  redis: () => RedisMetrics
  requestBudgets: () => BudgetMetrics
}

/** Each server has its own registry, so that two in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const create = createFactory(registry)

  const requests = create.histogram(
    'console_http_request_duration_seconds',
    'Time from the first byte of a request to the last byte of its response',
    ['method', 'route', 'status', 'upstream'],
  )
  const observeUpstream = createUpstreamMetrics(create)
  const observeService = createServiceMetrics(create)

  return {
    registry,
    observeRequest: ({ seconds, upstream, ...labels }) =>
      requests.observe(upstream === undefined ? labels : { ...labels, upstream }, seconds),
    upstream: observeUpstream,
    service: observeService,
    exchanges: () => createExchangeMetrics(create),
    droppedAuditEvents: () => countDroppedAuditEvents(create),
    relay: () => createRelayMetrics(create),
    watch: () => createWatchMetrics(create),
    lanes: (lanes) => createLaneMetrics(create, lanes),
    maintenance: () => createMaintenanceMetrics(create),
    auditPartitions: () => observeAuditPartitions(create),
    auditSeals: () => observeAuditSeals(create),
    connections: () => createConnectionMetrics(create),
    observeBacklog: (latest) => observeBacklog(create, latest),
    observeAgents: (latest) => observeAgents(create, latest),
    observeDatabase: (observation) => observeDatabase(create, observation),
    observeNats: (isUp) => observeNats(create, isUp),
    observeIssuer: (state) => observeIssuer(create, state),
    observeRevocations: (revocations) => observeRevocations(create, revocations),
    redis: () => createRedisMetrics(create),
    requestBudgets: () => createBudgetMetrics(create),
  }
}
