import type { Factory } from '../../platform/observe/metrics.ts'
import type { Backlog } from './outbox.ts'

export type RelayMetrics = ReturnType<typeof createRelayMetrics>

export function createRelayMetrics(create: Factory) {
  const delays = create.histogram(
    'console_event_delivery_seconds',
    'Time from the write of an event to its delivery',
  )
  const failures = create.counter(
    'console_event_delivery_failures_total',
    'Attempts to deliver a batch of events that failed, or that NATS was not connected for',
  )
  return {
    /** Takes the age of each delivered event in seconds. */
    observeDelivery: (ages: number[]) => {
      for (const age of ages) delays.observe(age)
    },
    countFailure: () => failures.inc(),
  }
}

export function observeBacklog(create: Factory, latest: () => Backlog | undefined): void {
  // NaN instead of a stale value while the database is down.
  const addGauge = (name: string, help: string, key: keyof Backlog) =>
    create.observed(name, help, () => latest()?.[key] ?? Number.NaN)
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
