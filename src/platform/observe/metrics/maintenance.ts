import type { Factory } from './factory.ts'

export interface MaintenanceMetrics {
  countRun: (task: string, outcome: 'succeeded' | 'skipped' | 'failed', changedRows: number) => void
}

export function createMaintenanceMetrics(create: Factory): MaintenanceMetrics {
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
