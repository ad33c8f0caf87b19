import type { Logger } from 'pino'
import type { EventStream } from '../platform/event-stream.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createOutbox } from '../platform/outbox.ts'
import { listenToOutbox } from '../platform/outbox-listener.ts'
import { type Relay, runRelay } from './relay.ts'

export interface RelayOptions {
  /** A connection that LISTEN works on: not through a pooler. */
  databaseUrl: string
  stream: EventStream
  metrics: Metrics
  log: Logger
}

/** A relay with connections of its own: the delivery of events takes none from requests. */
export function startRelay({ databaseUrl, stream, metrics, log }: RelayOptions): Relay {
  return runRelay({
    outbox: createOutbox(databaseUrl, log),
    listen: (onWritten) => listenToOutbox(databaseUrl, log, onWritten),
    stream,
    measures: metrics.relay(),
    log,
  })
}
