import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { SERVICE_STATES } from '../contract/service.ts'
import type { Backlog } from './outbox.ts'
import type { BreakerState } from './upstream/breaker.ts'

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
}

export interface RelayMetrics {
  /** Takes the age of each delivered event in seconds. */
  observeDelivery: (ages: number[]) => void
  countFailure: () => void
}

export interface WatchMetrics {
  /** Returns the function to call when the subscriber disconnects. */
  addSubscriber: () => (wasCutOff: boolean) => void
}

export interface ServiceMetrics {
  state: (state: string) => void
  changed: (isBreaking: boolean) => void
  checked: () => void
  mismatched: (operation: string) => void
}

export interface Metrics {
  registry: Registry
  observeRequest: (measurement: RequestMeasurement) => void
  upstream: (name: string) => UpstreamMetrics
  relay: () => RelayMetrics
  watch: () => WatchMetrics
  /** Reads the backlog at each scrape. */
  observeBacklog: (read: () => Promise<Backlog>) => void
  service: (name: string) => ServiceMetrics
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
    relay: () => createRelayMetrics(create),
    watch: () => createWatchMetrics(create),
    observeBacklog: (read) => observeBacklog(registry, read),
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
    }
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

function createRelayMetrics(create: Factory): RelayMetrics {
  const delays = create.histogram(
    'console_event_delivery_seconds',
    'Time from the write of an event to its delivery',
  )
  const failures = create.counter(
    'console_event_delivery_failures_total',
    'Batches of events that were not delivered completely',
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
  return {
    addSubscriber: () => {
      subscribers.inc()
      return (wasCutOff) => {
        subscribers.dec()
        if (wasCutOff) cutOff.inc()
      }
    },
  }
}

function observeBacklog(registry: Registry, read: () => Promise<Backlog>): void {
  // Both gauges share one query: a scrape collects them at the same time.
  let pending: Promise<Backlog> | undefined
  const readOnce = async () => {
    // NaN instead of a stale value while the database is down.
    pending ??= read().catch(() => ({ waiting: Number.NaN, oldestSeconds: Number.NaN }))
    const backlog = await pending
    pending = undefined
    return backlog
  }
  const addGauge = (name: string, help: string, key: keyof Backlog) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await readOnce())[key])
      },
    })
  addGauge('console_outbox_waiting', 'Events that are not delivered yet', 'waiting')
  addGauge(
    'console_outbox_oldest_seconds',
    'Age of the oldest event that is not delivered yet',
    'oldestSeconds',
  )
}
