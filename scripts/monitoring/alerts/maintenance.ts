import type { Alert } from '../alert.ts'
import { labels } from './example-labels.ts'

/** Alerts about the audit log and background work. */
export const maintenanceAlerts: Alert[] = [
  {
    name: 'ConsoleAuditPartitionsEnd',
    expr: 'max(console_audit_partitions_ahead_months) < 3 or absent(console_audit_partitions_ahead_months)',
    for: '30m',
    severity: 'ticket',
    summary: 'The audit log has partitions for less than three months; without one every change fails.',
    runbook: 'audit-partitions',
    fires: { series: { [`console_audit_partitions_ahead_months{${labels}}`]: '2x60' }, at: '45m' },
    quiet: { [`console_audit_partitions_ahead_months{${labels}}`]: '12x60' },
  },
  {
    name: 'ConsoleAuditEventsDropped',
    expr: 'sum(increase(console_audit_events_dropped_total[30m])) > 0',
    for: '0m',
    severity: 'ticket',
    summary: 'Calls of mounted services or refused requests are missing in the audit log.',
    runbook: 'audit-events-dropped',
    fires: { series: { [`console_audit_events_dropped_total{${labels}}`]: '0x10 7x30' }, at: '15m' },
    quiet: { [`console_audit_events_dropped_total{${labels}}`]: '7x60' },
  },
  {
    name: 'ConsoleMaintenanceFails',
    expr:
      'sum by (task) (increase(console_maintenance_runs_total{outcome="failed"}[30m])) > 0 unless ' +
      'sum by (task) (increase(console_maintenance_runs_total{outcome="succeeded"}[30m])) > 0',
    for: '15m',
    severity: 'ticket',
    summary: 'A task of the background work fails, and has not succeeded for half an hour.',
    runbook: 'maintenance',
    fires: {
      series: {
        [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="failed"}`]: '0+4x90',
      },
      at: '60m',
      labels: { task: 'audit_retention' },
    },
    quiet: {
      [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="failed"}`]: '0+1x90',
      [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="succeeded"}`]: '0+4x90',
    },
  },
]
