import type { Logger } from 'pino'
import { createEventStream, type EventStream, type EventStreamSettings } from './jetstream.ts'
import { createNats, type Nats } from './nats.ts'
import type { NatsLogin } from './nats-login.ts'

export interface EventsOptions {
  natsUrl: string
  /** Absent: only what the URL has. */
  natsLogin?: NatsLogin
  stream: EventStreamSettings
}

export interface Events {
  nats: Nats
  stream: EventStream
}

export function createEvents({ natsUrl, natsLogin, stream }: EventsOptions, log: Logger): Events {
  const nats = createNats(natsUrl, log, natsLogin)
  return { nats, stream: createEventStream(nats, stream) }
}
