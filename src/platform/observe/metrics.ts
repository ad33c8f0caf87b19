import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { SERVICE_STATES } from '../../contract/service.ts'
import type { BreakerState } from '../breaker/circuit.ts'
import { type DatabaseObservation, observeDatabase } from '../database/metrics.ts'
import type { Backlog } from '../events/outbox.ts'
import type { QueueRefusal } from '../fairness/fair-queue.ts'
import type { Lanes } from '../fairness/lanes.ts'
import {
  type BudgetMetrics,
  createBudgetMetrics,
  createRedisMetrics,
  type RedisMetrics,
} from '../redis/budget-metrics.ts'

interface RequestMeasurement {
  method: string
  route: string
  status: number
  seconds: number
}

export interface UpstreamMetrics {
  /** Returns the function to call at the end of the call. */
  startCall: () => (outcome: string) => void
  /** Returns the function to call at the end of a response that is streamed to the client. */
  startStreaming: () => (failure?: string) => void
  countRetry: () => void
  setBreakerState: (state: BreakerState) => void
  /** Reads at each scrape for how many teams alone the breaker is open. */
  observeOpenTeams: (count: () => number) => void
}

export interface RelayMetrics {
  /** Takes the age of each delivered event in seconds. */
  observeDelivery: (ages: number[]) => void
  countFailure: () => void
}

/** `stalled`: the client took no byte for too long. `memory`: unsent responses took too much memory. */
export type CutOffCause = 'stalled' | 'memory'

export interface ConnectionMetrics {
  /** Reads both figures at each scrape. */
  observe: (figures: { open: () => number; unsentBytes: () => number }) => void
  countRefused: () => void
  countCutOff: (cause: CutOffCause) => void
}

export interface WatchMetrics {
  /** Returns the function to call when the subscriber disconnects. */
  addSubscriber: () => (wasCutOff: boolean) => void
  /** Takes the limit that was reached: of the user, the team or the process. */
  countRefusal: (limit: string) => void
}

export interface LaneMetrics {
  observeWait: (lane: keyof Lanes, seconds: number) => void
  countRefusal: (lane: keyof Lanes, cause: QueueRefusal) => void
}

export interface ServiceMetrics {
  state: (state: string) => void
  changed: (isBreaking: boolean) => void
  checked: () => void
  mismatched: (operation: string) => void
}

export interface ExchangeMetrics {
  /** Returns the function to call at the end of the exchange. */
  startExchange: (service: string) => (outcome: 'succeeded' | 'failed' | 'unavailable') => void
}

export interface MaintenanceMetrics {
  countRun: (task: string, outcome: 'succeeded' | 'skipped' | 'failed', changedRows: number) => void
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
  observeRevocations: (revocations: { state: () => string; size: () => number }) => void
  service: (name: string) => ServiceMetrics
  exchanges: () => ExchangeMetrics
  /** Returns the function that counts calls of services that are missing in the audit log. */
  droppedAuditEvents: () => (count: number) => void
  redis: () => RedisMetrics
  requestBudgets: () => BudgetMetrics
}

const BREAKER_STATES: BreakerState[] = ['closed', 'half_open', 'open']

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Each server has its own registry, so that two in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const create = createFactory(registry)

  const requests = create.histogram(
    'console_http_request_duration_seconds',
    'Time from the first byte of a request to the last byte of its response',
    ['method', 'route', 'status'],
  )
  const observeUpstream = createUpstreamMetrics(create)
  const observeService = createServiceMetrics(create)

  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
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
    observeBacklog: (latest) => observeBacklog(registry, latest),
    observeAgents: (latest) => observeAgents(create, latest),
    observeDatabase: (observation) => observeDatabase(registry, observation),
    observeNats: (isUp) => observeNats(create, isUp),
    observeRevocations: (revocations) => observeRevocations(create, revocations),
    redis: () => createRedisMetrics(registry),
    requestBudgets: () => createBudgetMetrics(registry),
  }
}

type Factory = ReturnType<typeof createFactory>

function createFactory(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Histogram({ name, help, labelNames, buckets: SECONDS, registers }),
  }
}

function createUpstreamMetrics(create: Factory) {
  const calls = create.histogram(
    'console_upstream_call_duration_seconds',
    'Duration of calls to an upstream, to the head of the response if it is streamed; the outcome is `succeeded` or the kind of failure',
    ['upstream', 'outcome'],
  )
  // Counted in a map and copied when the metrics are read: changing a gauge costs too much for every request.
  const callsInFlight = new Map<string, number>()
  const inFlight = create.gauge('console_upstream_in_flight', 'Calls to an upstream in flight', ['upstream'])
  Object.assign(inFlight, {
    collect: () => {
      for (const [upstream, count] of callsInFlight) inFlight.set({ upstream }, count)
    },
  })
  const streaming = create.gauge(
    'console_upstream_responses_streaming',
    'Responses of an upstream that are being streamed to a client',
    ['upstream'],
  )
  const broken = create.counter(
    'console_upstream_responses_broken_total',
    'Responses of an upstream that failed after their head was sent to the client, by kind of failure',
    ['upstream', 'outcome'],
  )
  const retries = create.counter('console_upstream_retries_total', 'Retried calls to an upstream', [
    'upstream',
  ])
  const breaker = create.gauge(
    'console_upstream_breaker_state',
    '1 for the current state of the circuit breaker of an upstream',
    ['upstream', 'state'],
  )

  const openTeamCounts = new Map<string, () => number>()
  const openTeams = create.gauge(
    'console_upstream_breaker_open_teams',
    'Teams for which alone the circuit breaker of an upstream is open',
    ['upstream'],
  )
  Object.assign(openTeams, {
    collect: () => {
      for (const [upstream, count] of openTeamCounts) openTeams.set({ upstream }, count())
    },
  })

  return (upstream: string): UpstreamMetrics => {
    const setBreakerState = (current: BreakerState) => {
      for (const state of BREAKER_STATES) breaker.set({ upstream, state }, state === current ? 1 : 0)
    }
    setBreakerState('closed')
    return {
      startCall: () => {
        const startedAt = performance.now()
        callsInFlight.set(upstream, (callsInFlight.get(upstream) ?? 0) + 1)
        return (outcome) => {
          callsInFlight.set(upstream, (callsInFlight.get(upstream) ?? 0) - 1)
          calls.observe({ upstream, outcome }, (performance.now() - startedAt) / 1_000)
        }
      },
      startStreaming: () => {
        streaming.inc({ upstream })
        return (failure) => {
          streaming.dec({ upstream })
          if (failure !== undefined) broken.inc({ upstream, outcome: failure })
        }
      },
      countRetry: () => retries.inc({ upstream }),
      setBreakerState,
      observeOpenTeams: (count) => void openTeamCounts.set(upstream, count),
    }
  }
}

/** Without a label for the team: there may be 100,000 teams. */
function createLaneMetrics(create: Factory, lanes: Lanes): LaneMetrics {
  const waits = create.histogram(
    'console_place_wait_seconds',
    'Time that a request waited to begin (lane intake) or for a place at the database, by lane',
    ['lane'],
  )
  const refusals = create.counter(
    'console_refusals_total',
    'Requests that were refused before they began (lane intake) or got no place at the database, by lane and cause',
    ['lane', 'cause'],
  )
  const inUse = create.gauge('console_places_in_use', 'Places in use, by lane', ['lane'])
  const waiting = create.gauge(
    'console_places_waiting',
    'Requests that wait to begin (lane intake) or for a place at the database, by lane',
    ['lane'],
  )
  Object.assign(inUse, {
    collect: () => {
      for (const [lane, queue] of Object.entries(lanes)) inUse.set({ lane }, queue.count().running)
    },
  })
  Object.assign(waiting, {
    collect: () => {
      for (const [lane, queue] of Object.entries(lanes)) waiting.set({ lane }, queue.count().waiting)
    },
  })
  const holds = create.counter(
    'console_headroom_waits_total',
    'How often a team that dominates a busy replica had to wait for a place at the database, by lane',
    ['lane'],
  )
  Object.assign(holds, {
    collect: () => {
      holds.reset()
      for (const [lane, queue] of Object.entries(lanes)) holds.inc({ lane }, queue.holds())
    },
  })
  return {
    observeWait: (lane, seconds) => waits.observe({ lane }, seconds),
    countRefusal: (lane, cause) => refusals.inc({ lane, cause }),
  }
}

function createServiceMetrics(create: Factory) {
  const documentState = create.gauge(
    'console_service_document_state',
    '1 for the current state of the document of a service',
    ['service', 'state'],
  )
  const documentChanges = create.counter(
    'console_service_document_changes_total',
    'Changes of the document of a service, by whether they break clients',
    ['service', 'breaking'],
  )
  const checks = create.counter(
    'console_service_responses_checked_total',
    'Sampled responses that were compared with the document of their service',
    ['service'],
  )
  const mismatches = create.counter(
    'console_service_responses_mismatched_total',
    'Sampled responses that do not match the document of their service',
    ['service', 'operation'],
  )

  return (service: string): ServiceMetrics => {
    const setState = (current: string) => {
      for (const state of SERVICE_STATES) documentState.set({ service, state }, state === current ? 1 : 0)
    }
    setState('starting')
    return {
      state: setState,
      changed: (isBreaking) => documentChanges.inc({ service, breaking: String(isBreaking) }),
      checked: () => checks.inc({ service }),
      mismatched: (operation) => mismatches.inc({ service, operation }),
    }
  }
}

function createExchangeMetrics(create: Factory): ExchangeMetrics {
  const exchanges = create.histogram(
    'console_token_exchange_duration_seconds',
    'Duration of token exchanges at the issuer, by service and outcome: succeeded, failed or unavailable',
    ['service', 'outcome'],
  )
  return {
    startExchange: (service) => {
      const startedAt = performance.now()
      return (outcome) => exchanges.observe({ service, outcome }, (performance.now() - startedAt) / 1_000)
    },
  }
}

function countDroppedAuditEvents(create: Factory) {
  const dropped = create.counter(
    'console_audit_events_dropped_total',
    'Calls of services that are missing in the audit log because the database did not store them',
  )
  return (count: number) => dropped.inc(count)
}

function createRelayMetrics(create: Factory): RelayMetrics {
  const delays = create.histogram(
    'console_event_delivery_seconds',
    'Time from the write of an event to its delivery',
  )
  const failures = create.counter(
    'console_event_delivery_failures_total',
    'Attempts to deliver a batch of events that failed, or that NATS was not connected for',
  )
  return {
    observeDelivery: (ages) => {
      for (const age of ages) delays.observe(age)
    },
    countFailure: () => failures.inc(),
  }
}

function createWatchMetrics(create: Factory): WatchMetrics {
  const subscribers = create.gauge('console_watch_subscribers', 'Clients connected to the event stream')
  const cutOff = create.counter(
    'console_watch_subscribers_cut_off_total',
    'Clients of the event stream that were disconnected because they did not read',
  )
  const refusals = create.counter(
    'console_watch_refusals_total',
    'Requests to watch that were refused, by the limit that was reached: user, team or process',
    ['limit'],
  )
  return {
    countRefusal: (limit) => refusals.inc({ limit }),
    addSubscriber: () => {
      subscribers.inc()
      return (wasCutOff) => {
        subscribers.dec()
        if (wasCutOff) cutOff.inc()
      }
    },
  }
}

function createMaintenanceMetrics(create: Factory): MaintenanceMetrics {
  const runs = create.counter(
    'console_maintenance_runs_total',
    'Runs of background work, by task and outcome',
    ['task', 'outcome'],
  )
  const rows = create.counter(
    'console_maintenance_rows_total',
    'Rows that background work changed or deleted',
    ['task'],
  )
  const lastSuccess = create.gauge(
    'console_maintenance_last_success_timestamp_seconds',
    'Time of the last successful run of a task in this process',
    ['task'],
  )
  return {
    countRun: (task, outcome, changedRows) => {
      runs.inc({ task, outcome })
      rows.inc({ task }, changedRows)
      if (outcome === 'succeeded') lastSuccess.setToCurrentTime({ task })
    },
  }
}

function observeAuditPartitions(create: Factory) {
  const ahead = create.gauge(
    'console_audit_partitions_ahead_months',
    'Months after the current one for which the audit log has partitions',
  )
  // Not 0 before the first run: 0 is a reason for an alert.
  ahead.set(Number.NaN)
  return (monthsAhead: number) => ahead.set(monthsAhead)
}

function observeAuditSeals(create: Factory) {
  const sealed = create.gauge(
    'console_audit_sealed_until_timestamp_seconds',
    'Time up to which all audit events are sealed, as far as this process has seen',
  )
  // Not 0 before the first run of this process: only one process seals at a time.
  sealed.set(Number.NaN)
  return (sealedUntilMs: number) => sealed.set(sealedUntilMs / 1_000)
}

function createConnectionMetrics(create: Factory): ConnectionMetrics {
  const open = create.gauge('console_connections', 'Open connections of clients')
  const unsent = create.gauge(
    'console_responses_unsent_bytes',
    'Bytes of responses in memory that clients have not read yet',
  )
  const refused = create.counter(
    'console_connections_refused_total',
    'Connections that were refused, or closed to accept another, because MAX_CONNECTIONS were open',
  )
  const cutOff = create.counter(
    'console_responses_cut_off_total',
    'Responses that were cut off because the client did not read, by cause',
    ['cause'],
  )
  return {
    observe: (figures) => {
      Object.assign(open, { collect: () => open.set(figures.open()) })
      Object.assign(unsent, { collect: () => unsent.set(figures.unsentBytes()) })
    },
    countRefused: () => refused.inc(),
    countCutOff: (cause) => cutOff.inc({ cause }),
  }
}

function observeBacklog(registry: Registry, latest: () => Backlog | undefined): void {
  const addGauge = (name: string, help: string, key: keyof Backlog) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        // NaN instead of a stale value while the database is down.
        this.set(latest()?.[key] ?? Number.NaN)
      },
    })
  addGauge('console_outbox_waiting', 'Events that are not delivered yet', 'waiting')
  addGauge(
    'console_outbox_oldest_seconds',
    'Age of the oldest event that is not delivered yet',
    'oldestSeconds',
  )
  addGauge('console_events_epoch', 'Epoch of the events; increases when the database was restored', 'epoch')
  addGauge(
    'console_events_diverged',
    '1 if delivery has stopped because the stream holds events that the database does not have',
    'diverged',
  )
}

function observeAgents(create: Factory, latest: () => ReadonlyMap<string, number> | undefined): void {
  const agents = create.gauge(
    'console_agents',
    'Agents of all teams by trust stage, estimated from the statistics of PostgreSQL',
    ['trust_stage'],
  )
  Object.assign(agents, {
    collect: () => {
      agents.reset()
      for (const [stage, count] of latest() ?? []) agents.set({ trust_stage: stage }, count)
    },
  })
}

function observeNats(create: Factory, isUp: () => boolean): void {
  const connected = create.gauge('console_nats_connected', '1 while the process is connected to NATS')
  Object.assign(connected, { collect: () => connected.set(isUp() ? 1 : 0) })
}

function observeRevocations(
  create: Factory,
  { state, size }: Parameters<Metrics['observeRevocations']>[0],
): void {
  const up = create.gauge('console_revocations_up', '1 if the last read of the list of revocations succeeded')
  const entries = create.gauge('console_revocations', 'Revoked tokens and users in the list that is in use')
  // NaN before the first read.
  Object.assign(up, { collect: () => up.set({ up: 1, down: 0 }[state()] ?? Number.NaN) })
  Object.assign(entries, { collect: () => entries.set(size()) })
}
