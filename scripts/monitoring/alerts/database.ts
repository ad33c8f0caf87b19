import type { Alert } from '../alert.ts'
import { labels, replica } from './example-labels.ts'

/** Alerts about the database and the fair shares of teams. */
export const databaseAlerts: Alert[] = [
  {
    name: 'ConsoleDatabaseNotUp',
    expr: 'console_database_state{state="up"} == 0',
    for: '1m',
    severity: 'page',
    summary: 'A process finds the database down, read-only or without a migration.',
    runbook: 'database',
    fires: {
      series: { [`console_database_state{${labels},state="up"}`]: '1x5 0x20' },
      at: '8m',
      labels: { ...replica, state: 'up' },
    },
    quiet: { [`console_database_state{${labels},state="up"}`]: '1x30' },
  },
  {
    name: 'ConsoleDatabaseConnectionsFail',
    expr: 'sum by (instance, pool) (rate(console_database_connection_errors_total{kind="refused"}[5m])) > 0.05',
    for: '5m',
    severity: 'ticket',
    summary: 'A process cannot open connections to the database.',
    runbook: 'database-connections',
    fires: {
      series: {
        [`console_database_connection_errors_total{${labels},pool="requests",kind="refused"}`]: '0+30x30',
      },
      at: '15m',
      labels: { instance: 'a:9464', pool: 'requests' },
    },
    quiet: { [`console_database_connection_errors_total{${labels},pool="requests",kind="refused"}`]: '3x30' },
  },
  {
    name: 'ConsoleDatabaseOverloaded',
    expr: 'sum by (of) (rate(console_refusals_total{of=~"requests|searches",cause="overloaded"}[5m])) > 0.1',
    for: '10m',
    severity: 'page',
    summary: 'Requests get 503 because all places at the database are taken.',
    runbook: 'overloaded',
    fires: {
      series: { [`console_refusals_total{${labels},of="requests",cause="overloaded"}`]: '0+60x60' },
      at: '20m',
      labels: { of: 'requests' },
    },
    quiet: { [`console_refusals_total{${labels},of="requests",cause="own_share"}`]: '0+60x60' },
  },
  {
    name: 'ConsoleTeamFloods',
    expr: 'sum by (of) (rate(console_refusals_total{cause="own_share"}[15m])) > 5',
    for: '15m',
    severity: 'ticket',
    summary: 'A team sends far more requests than its share, and gets 429.',
    runbook: 'team-floods',
    fires: {
      series: { [`console_refusals_total{${labels},of="requests",cause="own_share"}`]: '0+600x60' },
      at: '40m',
      labels: { of: 'requests' },
    },
    quiet: { [`console_refusals_total{${labels},of="requests",cause="own_share"}`]: '0+60x60' },
  },
]
