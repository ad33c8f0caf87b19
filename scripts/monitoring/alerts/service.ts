import type { Alert } from '../alert.ts'
import { labels, replica } from './example-labels.ts'

/** Alerts about processes and their clients. */
export const serviceAlerts: Alert[] = [
  {
    name: 'ConsoleDown',
    expr: 'up{job=~"agent-console.*"} == 0',
    for: '2m',
    severity: 'page',
    summary: 'Prometheus cannot read the metrics of a process.',
    runbook: 'down',
    fires: { series: { [`up{${labels}}`]: '0x30' }, at: '5m', labels: replica },
    quiet: { [`up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleAbsent',
    expr: 'absent(up{job="agent-console"})',
    for: '5m',
    severity: 'page',
    summary: 'Prometheus knows no process of the console.',
    runbook: 'down',
    fires: { series: { 'up{job="other"}': '1x30' }, at: '10m', labels: { job: 'agent-console' } },
    quiet: { [`up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleEventLoopDelayed',
    expr: 'nodejs_eventloop_lag_p99_seconds{job=~"agent-console.*"} > 0.2',
    for: '10m',
    severity: 'ticket',
    summary: 'A process is too busy: its event loop is late by more than 0.2 s.',
    runbook: 'busy-process',
    fires: {
      series: { [`nodejs_eventloop_lag_p99_seconds{${labels}}`]: '0.5x60' },
      at: '20m',
      labels: replica,
    },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${labels}}`]: '0.02x60' },
  },
  {
    name: 'ConsoleMemoryHigh',
    expr:
      'process_resident_memory_bytes{job="agent-console"} > 0.85 * 1024 ^ 3 ' +
      'or process_resident_memory_bytes{job="agent-console-relay"} > 0.85 * 512 * 1024 ^ 2',
    for: '15m',
    severity: 'ticket',
    summary:
      'A process uses more than 85 % of its limit in the chart and in the unit: 1 GiB, the relay 512 MiB.',
    runbook: 'busy-process',
    fires: {
      series: { [`process_resident_memory_bytes{${labels}}`]: '1000000000x60' },
      at: '30m',
      labels: replica,
    },
    quiet: { [`process_resident_memory_bytes{${labels}}`]: '300000000x60' },
  },
  {
    name: 'ConsoleIssuerDown',
    expr: 'console_issuer_up == 0',
    for: '5m',
    severity: 'page',
    summary: 'The keys of the issuer cannot be read: after an hour, no token is accepted.',
    runbook: 'issuer',
    fires: { series: { [`console_issuer_up{${labels}}`]: '0x30' }, at: '10m', labels: replica },
    quiet: { [`console_issuer_up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleRevocationsStale',
    expr: 'console_revocations_up == 0',
    for: '2m',
    severity: 'page',
    summary: 'The list of revocations cannot be read: newly revoked tokens are accepted.',
    runbook: 'revocations',
    fires: { series: { [`console_revocations_up{${labels}}`]: '0x30' }, at: '5m', labels: replica },
    quiet: { [`console_revocations_up{${labels}}`]: '1x30' },
  },
]
