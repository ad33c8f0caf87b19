import type { Factory } from './factory.ts'

export function countDroppedAuditEvents(create: Factory) {
  const dropped = create.counter(
    'console_audit_events_dropped_total',
    'Calls of services that are missing in the audit log because the database did not store them',
  )
  return (count: number) => dropped.inc(count)
}

export function observeAuditPartitions(create: Factory) {
  const ahead = create.gauge(
    'console_audit_partitions_ahead_months',
    'Months after the current one for which the audit log has partitions',
  )
  // Not 0 before the first run: 0 is a reason for an alert.
  ahead.set(Number.NaN)
  return (monthsAhead: number) => ahead.set(monthsAhead)
}

export function observeAuditSeals(create: Factory) {
  const sealed = create.gauge(
    'console_audit_sealed_until_timestamp_seconds',
    'Time up to which all audit events are sealed, as far as this process has seen',
  )
  // Not 0 before the first run of this process: only one process seals at a time.
  sealed.set(Number.NaN)
  return (sealedUntilMs: number) => sealed.set(sealedUntilMs / 1_000)
}
