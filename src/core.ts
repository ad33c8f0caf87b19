import type { FastifyPluginAsync } from 'fastify'
import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import { API_VERSION } from './api/operation.ts'
import { newId } from './api/uuid.ts'
import type { Config } from './config/config.ts'
import { createIdentity, type Identity } from './http/auth/identity.ts'
import { close } from './platform/async.ts'
import { Secrets } from './platform/crypto/secrets.ts'
import { Signer } from './platform/crypto/signer.ts'
import { EventStream } from './platform/nats/stream.ts'
import { createLog } from './platform/observe/log.ts'
import { createMetrics, type Metrics } from './platform/observe/metrics.ts'
import { startTracing, type Tracing } from './platform/observe/tracing.ts'
import { OutboundClient } from './platform/outbound/client.ts'
import { createDatabase, type Database } from './platform/postgres/database.ts'
import type { Step } from './platform/postgres/maintenance.ts'
import { Redis } from './platform/redis/redis.ts'
import { Exports } from './platform/responses.ts'

/** What the features share. Includes clock, id generator and log, so that tests can replace them. */
export interface Core {
  config: Config
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  /** A UUID version 7 for the current time, or for a given time in milliseconds since the epoch. */
  newId: (atMs?: number) => string
  metrics: Metrics
  database: Database
  identity: Identity
  secrets: Secrets
  /** Signs the assertions for services. */
  signer: Signer
  /** Undefined if NATS_URL is not set: events then stay in the outbox. */
  events: EventStream | undefined
  /** Undefined if REDIS_URL is not set: each replica then counts its own share. */
  redis: Redis | undefined
  /** Fetches what callers name by a URL. */
  outbound: OutboundClient
  exports: Exports
  /** Set when the process receives SIGTERM or SIGINT. */
  shutdown: { hasBegun: boolean }
  close: () => Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The background work of all features. */
    backgroundSteps: readonly Step[]
  }
}

/** What a feature adds to the console. */
export interface Feature {
  /** The named schemas of the document. */
  schemas?: readonly TSchema[]
  /** Adds routes and hooks. What the feature opens, it closes in a hook. */
  routes: FastifyPluginAsync
  /** Background work, which one process at a time does. */
  steps?: readonly Step[]
}

export function openCore(config: Config, replaced: Partial<Pick<Core, 'log' | 'now' | 'newId'>> = {}): Core {
  const log = replaced.log ?? createLog(config.logLevel)
  const now = replaced.now ?? Date.now
  const metrics = createMetrics()
  const opened = new AsyncDisposableStack()
  return {
    config,
    log,
    now,
    newId: replaced.newId ?? newId,
    metrics,
    database: opened.adopt(createDatabase(config.databaseUrl, log, config.pool, metrics), close),
    identity: createIdentity({ ...config.auth, now, log, metrics }),
    secrets: new Secrets(config.secretsKeys),
    signer: new Signer(config.signingKeys),
    events: config.events && opened.adopt(new EventStream(config.events, log, metrics), close),
    redis: config.redis && opened.adopt(new Redis(config.redis, log, metrics), close),
    outbound: opened.adopt(new OutboundClient(config.outbound, log), close),
    exports: new Exports(),
    shutdown: { hasBegun: false },
    close: () => opened.disposeAsync(),
  }
}

/** Traces this process under the name of its service, if TRACES_URL is set. */
export async function traceIfWanted(
  { tracing }: Pick<Config, 'tracing'>,
  name: string,
  { log, newId }: Pick<Core, 'log' | 'newId'>,
): Promise<Tracing | undefined> {
  return tracing && startTracing(tracing, { name, version: API_VERSION, instanceId: newId() }, log)
}
