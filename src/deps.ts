import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Config, EventsConfig } from './config.ts'
import { createDatabase, type Database } from './platform/database.ts'
import { createEventStream, type EventStream } from './platform/event-stream.ts'
import { createIdentity, type Identity } from './platform/identity.ts'
import { createLog } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createNats, type Nats } from './platform/nats.ts'
import { createSecrets, type Secrets } from './platform/secrets.ts'
import { createUpstream, type Upstream } from './platform/upstream/upstream.ts'
import { createServices, type Services } from './services/services.ts'

/** What the console stands on. Time, randomness and the log are among it, so that a test can hold them. */
export interface Deps {
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  /** A UUID version 7, made now or at a time in milliseconds. */
  newId: (atMs?: number) => string
  database: Database
  identity: Identity
  secrets: Secrets
  metrics: Metrics
  /** Undefined where no evolution service is configured. */
  evolution: Upstream | undefined
  /** Undefined where no NATS is configured: events then wait in the outbox. */
  events: Events | undefined
  services: Services
  /** Set once a signal to end has arrived. */
  shutdown: { hasBegun: boolean }
}

export interface Events {
  nats: Nats
  stream: EventStream
}

export function createDeps(config: Config, held: Partial<Pick<Deps, 'log' | 'now' | 'newId'>> = {}): Deps {
  const log = held.log ?? createLog(config.logLevel)
  const now = held.now ?? Date.now
  const metrics = createMetrics()
  return {
    log,
    now,
    newId: held.newId ?? ((atMs) => uuidv7(atMs === undefined ? {} : { msecs: atMs })),
    database: createDatabase(config.databaseUrl, log),
    identity: createIdentity({ ...config.auth, now, log }),
    secrets: createSecrets(config.secretsKeys),
    metrics,
    evolution: config.evolution && createUpstream({ name: 'evolution', ...config.evolution, metrics }),
    events: config.events && createEvents(config.events, log),
    services: createServices({ services: config.services, log, now, metrics }),
    shutdown: { hasBegun: false },
  }
}

export function createEvents({ natsUrl, stream }: EventsConfig, log: Logger): Events {
  const nats = createNats(natsUrl, log)
  return { nats, stream: createEventStream(nats, stream) }
}
