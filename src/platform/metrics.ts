import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { SERVICE_STATES } from '../contract/service.ts'
import type { Backlog } from './outbox.ts'
import type { BreakerState } from './upstream/breaker.ts'

interface RequestMeasure {
  method: string
  route: string
  status: number
  seconds: number
}

/** What is measured of one upstream. */
export interface UpstreamMeasures {
  /** A call begins; the function it answers is told how it ended. */
  begin: () => (outcome: string) => void
  /** An answer begins to be passed on as it comes; the function it answers is told how it ended. */
  passing: () => (brokenBy?: string) => void
  retried: () => void
  breaker: (state: BreakerState) => void
}

/** What is measured of the delivery of events. */
export interface RelayMeasures {
  /** How long each event waited, in seconds. */
  delivered: (waits: number[]) => void
  failed: () => void
}

/** What is measured of those who watch. */
export interface WatchMeasures {
  /** One begins to; the function it answers is told whether he was cut off. */
  opened: () => (wasCutOff: boolean) => void
}

/** What is measured of one service's document and of its answers. */
export interface ServiceMeasures {
  state: (state: string) => void
  changed: (isBreaking: boolean) => void
  checked: () => void
  mismatched: (operation: string) => void
}

const BREAKER_STATES: BreakerState[] = ['closed', 'half_open', 'open']

export interface Metrics {
  registry: Registry
  observeRequest: (measure: RequestMeasure) => void
  upstream: (name: string) => UpstreamMeasures
  relay: () => RelayMeasures
  watch: () => WatchMeasures
  /** Reads the backlog whenever somebody asks for figures. */
  observeBacklog: (read: () => Promise<Backlog>) => void
  service: (name: string) => ServiceMeasures
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A registry of its own for each server, so that two in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'console_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const calls = new Histogram({
    name: 'console_upstream_call_duration_seconds',
    help: 'Calls to an upstream by how they ended: answered, or the kind of failure; a streamed answer counts from its head',
    labelNames: ['upstream', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const inFlight = new Gauge({
    name: 'console_upstream_in_flight',
    help: 'Calls to an upstream under way',
    labelNames: ['upstream'],
    registers,
  })
  const passing = new Gauge({
    name: 'console_upstream_answers_passing',
    help: 'Answers of an upstream that are being passed on',
    labelNames: ['upstream'],
    registers,
  })
  const broken = new Counter({
    name: 'console_upstream_answers_broken_total',
    help: 'Answers of an upstream that broke off after their head had been passed on, by the kind of failure',
    labelNames: ['upstream', 'outcome'],
    registers,
  })
  const retries = new Counter({
    name: 'console_upstream_retries_total',
    help: 'Calls to an upstream that were tried a second time',
    labelNames: ['upstream'],
    registers,
  })
  const breaker = new Gauge({
    name: 'console_upstream_breaker_state',
    help: '1 for the state the breaker of an upstream is in',
    labelNames: ['upstream', 'state'],
    registers,
  })

  const documentState = new Gauge({
    name: 'console_service_document_state',
    help: '1 for the state the document of a service is in',
    labelNames: ['service', 'state'],
    registers,
  })
  const documentChanges = new Counter({
    name: 'console_service_document_changes_total',
    help: 'Changes of the document of a service, by whether they break callers',
    labelNames: ['service', 'breaking'],
    registers,
  })
  const answersChecked = new Counter({
    name: 'console_service_answers_checked_total',
    help: 'Sampled answers that were compared with what their service declares',
    labelNames: ['service'],
    registers,
  })
  const answersMismatched = new Counter({
    name: 'console_service_answers_mismatched_total',
    help: 'Sampled answers that are not as their service declares',
    labelNames: ['service', 'operation'],
    registers,
  })

  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
    upstream: (upstream) => {
      const setBreaker = (current: BreakerState) => {
        for (const state of BREAKER_STATES) breaker.set({ upstream, state }, state === current ? 1 : 0)
      }
      setBreaker('closed')
      return {
        begin: () => {
          const startedAt = performance.now()
          inFlight.inc({ upstream })
          return (outcome) => {
            inFlight.dec({ upstream })
            calls.observe({ upstream, outcome }, (performance.now() - startedAt) / 1_000)
          }
        },
        passing: () => {
          passing.inc({ upstream })
          return (outcome) => {
            passing.dec({ upstream })
            if (outcome !== undefined) broken.inc({ upstream, outcome })
          }
        },
        retried: () => retries.inc({ upstream }),
        breaker: setBreaker,
      }
    },
    relay: () => createRelayMeasures(registry),
    watch: () => createWatchMeasures(registry),
    observeBacklog: (read) => observeBacklog(registry, read),
    service: (service) => {
      const setState = (current: string) => {
        for (const state of SERVICE_STATES) documentState.set({ service, state }, state === current ? 1 : 0)
      }
      setState('starting')
      return {
        state: setState,
        changed: (isBreaking) => documentChanges.inc({ service, breaking: String(isBreaking) }),
        checked: () => answersChecked.inc({ service }),
        mismatched: (operation) => answersMismatched.inc({ service, operation }),
      }
    },
  }
}

function createRelayMeasures(registry: Registry): RelayMeasures {
  const waits = new Histogram({
    name: 'console_event_delivery_seconds',
    help: 'Time from the write of an event to its delivery',
    buckets: SECONDS,
    registers: [registry],
  })
  const failures = new Counter({
    name: 'console_event_delivery_failures_total',
    help: 'Batches of events that could not be delivered as a whole',
    registers: [registry],
  })
  return {
    delivered: (seconds) => {
      for (const one of seconds) waits.observe(one)
    },
    failed: () => failures.inc(),
  }
}

function createWatchMeasures(registry: Registry): WatchMeasures {
  const watchers = new Gauge({
    name: 'console_watchers',
    help: 'Who is watching events',
    registers: [registry],
  })
  const cutOff = new Counter({
    name: 'console_watchers_cut_off_total',
    help: 'Watchers that were cut off because they did not read',
    registers: [registry],
  })
  return {
    opened: () => {
      watchers.inc()
      return (wasCutOff) => {
        watchers.dec()
        if (wasCutOff) cutOff.inc()
      }
    },
  }
}

function observeBacklog(registry: Registry, read: () => Promise<Backlog>): void {
  // Of one reading: a registry asks all its figures at once, and does not wait for one before the other.
  let reading: Promise<Backlog> | undefined
  const readOnce = async () => {
    // Nothing rather than an old figure where the database does not answer.
    reading ??= read().catch(() => ({ waiting: Number.NaN, oldestSeconds: Number.NaN }))
    const backlog = await reading
    reading = undefined
    return backlog
  }
  const waiting = new Gauge({
    name: 'console_outbox_waiting',
    help: 'Events that were not delivered',
    registers: [],
    async collect() {
      this.set((await readOnce()).waiting)
    },
  })
  const oldest = new Gauge({
    name: 'console_outbox_oldest_seconds',
    help: 'How long the oldest event that was not delivered has been waiting',
    registers: [],
    async collect() {
      this.set((await readOnce()).oldestSeconds)
    },
  })
  for (const figure of [waiting, oldest]) registry.registerMetric(figure)
}
