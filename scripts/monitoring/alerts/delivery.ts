import type { Alert } from '../alert.ts'
import { labels, replica } from './example-labels.ts'

/** Alerts about the delivery of events. */
export const deliveryAlerts: Alert[] = [
  {
    name: 'ConsoleNatsDisconnected',
    expr: 'console_nats_connected == 0',
    for: '2m',
    severity: 'page',
    summary: 'A process is not connected to NATS: events wait in the outbox, and watchers get 503.',
    runbook: 'nats',
    fires: { series: { [`console_nats_connected{${labels}}`]: '0x30' }, at: '5m', labels: replica },
    quiet: { [`console_nats_connected{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleEventsDelayed',
    // Without NATS_URL events wait on purpose.
    expr: 'max(console_outbox_oldest_seconds) > 60 and on () count(console_nats_connected) > 0',
    for: '5m',
    severity: 'page',
    summary: 'The oldest event has waited for more than a minute.',
    runbook: 'events-delayed',
    fires: {
      series: {
        [`console_outbox_oldest_seconds{${labels}}`]: '0+60x30',
        [`console_nats_connected{${labels}}`]: '1x30',
      },
      at: '15m',
    },
    quiet: { [`console_outbox_oldest_seconds{${labels}}`]: '3x30' },
  },
  {
    name: 'ConsoleEventsDiverged',
    expr: 'max(console_events_diverged) == 1',
    for: '1m',
    severity: 'page',
    summary: 'Delivery has stopped: the stream holds events that the database does not have.',
    runbook: 'events-diverged',
    fires: { series: { [`console_events_diverged{${labels}}`]: '1x30' }, at: '5m' },
    quiet: { [`console_events_diverged{${labels}}`]: '0x30' },
  },
]
