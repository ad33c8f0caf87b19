import type { Logger } from 'pino'
import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/breaker/circuit.ts'
import type { ServiceMetrics } from '../../platform/observe/metrics/services.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import type { SampledChecks } from '../check/sampled-checks.ts'
import { componentKeys } from '../document/references.ts'
import type { Service } from '../file/service.ts'
import type { Publisher } from '../publish/publisher.ts'
import type { DocumentWorkers } from '../workers/pool.ts'
import { poll } from './poll.ts'
import {
  initialState,
  MAX_REPORTED,
  type PollResult,
  type ServiceState,
  transition,
} from './service-state.ts'
import { toStatus } from './status.ts'

export interface PollerOptions {
  services: readonly Service[]
  workers: DocumentWorkers
  publisher: Publisher
  checks: SampledChecks
  log: Logger
  now: () => number
  metricsOf: (service: string) => ServiceMetrics
  breakerOf: (service: string) => BreakerState
  /** How long startup waits for the first polls. */
  startTimeoutMs?: number
}

export interface Poller {
  /** Polls every service, and waits for those that respond in time. Needs the console's own document. */
  start: (own: string) => Promise<void>
  statuses: () => ServiceStatus[]
  close: () => void
}

const BREAKING_CHANGE = 'the document of a service changed and breaks callers'
const START_TIMEOUT_MS = 2_000
/** A service without a valid document is polled at least this often. */
const MAX_POLL_MS_WHILE_DOWN = 2_000

export function createPoller(options: PollerOptions): Poller {
  const { services, publisher, checks, log, now, metricsOf, breakerOf } = options
  const { startTimeoutMs = START_TIMEOUT_MS } = options
  const closing = new AbortController()
  const states = new Map(services.map((service) => [service.name, initialState(now())]))
  const stateOf = ({ name }: Service) => states.get(name) as ServiceState
  const timers = new Map<string, NodeJS.Timeout>()
  let reserved: string[] = []
  const deps = { ...options, closing: closing.signal, reserved: () => reserved }

  const pollOnce = async (service: Service): Promise<void> => {
    const before = stateOf(service)
    const result = await poll(service, before, deps)
    if (closing.signal.aborted) return
    const after = transition(before, result, now())
    states.set(service.name, after)
    if (after.adopted && after.adopted !== before.adopted) checks.begin(after.adopted)
    report(service, before, after, result)
    const maxMs = after.state === 'up' ? Number.POSITIVE_INFINITY : MAX_POLL_MS_WHILE_DOWN
    // Jitter, so that replicas started together do not poll together.
    const delayMs = Math.min(service.pollMs, maxMs) * (0.9 + Math.random() * 0.2)
    timers.set(service.name, setTimeout(() => void pollOnce(service), delayMs).unref())
  }

  const report = ({ name }: Service, before: ServiceState, after: ServiceState, result: PollResult) => {
    const serviceMetrics = metricsOf(name)
    if (result.type === 'adopted') {
      const { document, changes } = result
      for (const sentence of document.leftOut.slice(0, MAX_REPORTED)) log.warn({ service: name }, sentence)
      const facts = { service: name, from_version: before.adopted?.version, to_version: document.version }
      const isBreaking = changes.length > 0
      if (before.adopted) serviceMetrics.changed(isBreaking)
      if (isBreaking) log.warn({ ...facts, changes: changes.slice(0, MAX_REPORTED) }, BREAKING_CHANGE)
      else if (before.adopted) log.info(facts, 'the document of a service changed')
    }
    if (after.state === before.state) return
    const facts = { service: name, from: before.state, to: after.state, errors: after.errors }
    log[after.state === 'up' ? 'info' : 'warn'](facts, 'a service changed its state')
    serviceMetrics.state(after.state)
  }

  return {
    statuses: () =>
      services.map((service) => {
        const state = stateOf(service)
        return toStatus(service, state, breakerOf(service.name), checks.recordOf(state.adopted))
      }),
    start: async (own) => {
      reserved = componentKeys(JSON.parse(own).components ?? {})
      await publisher.begin(own)
      await withTimeout(startTimeoutMs, Promise.all(services.map(pollOnce)), undefined)
    },
    close: () => {
      closing.abort()
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
