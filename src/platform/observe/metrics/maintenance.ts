import type { Factory } from './factory.ts'

export type MaintenanceMetrics = ReturnType<typeof createMaintenanceMetrics>

export function createMaintenanceMetrics(create: Factory) {
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
    countRun: (task: string, outcome: 'succeeded' | 'skipped' | 'failed', changedRows: number) => {
      runs.inc({ task, outcome })
      rows.inc({ task }, changedRows)
      if (outcome === 'succeeded') lastSuccess.setToCurrentTime({ task })
    },
  }
}

export function countDroppedAuditEvents(create: Factory) {
  const dropped = create.counter(
    'console_audit_events_dropped_total',
    'Calls of services and refused requests that are missing in the audit log because the database did not store them',
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
