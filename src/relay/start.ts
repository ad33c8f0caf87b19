import type { Logger } from 'pino'
import type { EventStream } from '../platform/events/jetstream.ts'
import { createOutbox } from '../platform/events/outbox.ts'
import { listenToOutbox } from '../platform/events/outbox-listener.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { type Relay, runRelay } from './relay.ts'

export interface RelayOptions {
  /** Must support LISTEN: not through a pooler. */
  databaseUrl: string
  stream: EventStream
  metrics: Metrics
  log: Logger
}

/** The relay has its own connections, so that it takes none from requests. */
export function startRelay({ databaseUrl, stream, metrics, log }: RelayOptions): Relay {
  return runRelay({
    outbox: createOutbox(databaseUrl, log),
    listen: (onNotification) => listenToOutbox(databaseUrl, log, onNotification),
    stream,
    metrics: metrics.relay(),
    log,
  })
}
