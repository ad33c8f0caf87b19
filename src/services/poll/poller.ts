import type { Logger } from 'pino'
import type { ServiceStatus } from '../../contract/service.ts'
import type { BreakerState } from '../../platform/breaker.ts'
import type { ServiceMetrics } from '../../platform/observe/metrics/services.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import { componentKeys } from '../document/references.ts'
import type { Service } from '../file/services-file.ts'
import { poll } from './poll.ts'
import type { Publisher } from './publisher.ts'
import { initialState, type ServiceState, toStatus, transition } from './service-state.ts'
import type { DocumentWorkers } from './workers.ts'

export interface PollerOptions {
  services: readonly Service[]
  workers: Pick<DocumentWorkers, 'prepare'>
  publisher: Publisher
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

interface Polled {
  readonly service: Service
  readonly metrics: ServiceMetrics
  state: ServiceState
  timer?: NodeJS.Timeout
}

const START_TIMEOUT_MS = 2_000
/** A service without a valid document is polled at least this often. */
const MAX_POLL_MS_WHILE_DOWN = 2_000
/** How many sentences about a document are logged. */
const MAX_LOGGED = 50

export function createPoller(options: PollerOptions): Poller {
  const { services, publisher, log, now, metricsOf, breakerOf } = options
  const { startTimeoutMs = START_TIMEOUT_MS } = options
  const closing = new AbortController()
  const all = services.map((service): Polled => {
    return { service, metrics: metricsOf(service.name), state: initialState(now()) }
  })

  const pollOnce = async (polled: Polled, reserved: readonly string[]): Promise<void> => {
    const { service, state: before } = polled
    const result = await poll(service, before, { ...options, closing: closing.signal, reserved })
    if (closing.signal.aborted) return
    polled.state = transition(before, result, now())
    report(polled, before)
    const maxMs = polled.state.state === 'up' ? Number.POSITIVE_INFINITY : MAX_POLL_MS_WHILE_DOWN
    // Jitter, so that replicas started together do not poll together.
    const delayMs = Math.min(service.pollMs, maxMs) * (0.9 + Math.random() * 0.2)
    polled.timer = setTimeout(() => void pollOnce(polled, reserved), delayMs).unref()
  }

  const report = ({ service: { name }, metrics, state: after }: Polled, before: ServiceState) => {
    if (after.adopted && after.adopted !== before.adopted) {
      const { version, leftOut } = after.adopted
      for (const sentence of leftOut.slice(0, MAX_LOGGED)) log.warn({ service: name }, sentence)
      if (before.adopted) {
        const versions = { from_version: before.adopted.version, to_version: version }
        log.info({ service: name, ...versions }, 'the document of a service changed')
        metrics.countChange()
      }
    }
    if (after.state === before.state) return
    const facts = { service: name, from: before.state, to: after.state, errors: after.errors }
    log[after.state === 'up' ? 'info' : 'warn'](facts, 'a service changed its state')
    metrics.state(after.state)
  }

  return {
    statuses: () => all.map(({ service, state }) => toStatus(service, state, breakerOf(service.name))),
    start: async (own) => {
      const reserved = componentKeys(JSON.parse(own).components ?? {})
      await publisher.begin(own)
      const polls = all.map((polled) => pollOnce(polled, reserved))
      await withTimeout(startTimeoutMs, Promise.all(polls), undefined)
    },
    close: () => {
      closing.abort()
      for (const { timer } of all) clearTimeout(timer)
    },
  }
}
