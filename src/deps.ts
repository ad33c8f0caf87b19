import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { close } from './platform/close.ts'
import { createDatabase, type Database } from './platform/database/database.ts'
import { createEvents, type Events } from './platform/events/events.ts'
import { createIdentity, type Identity } from './platform/identity/identity.ts'
import { newId } from './platform/new-id.ts'
import { createLog } from './platform/observe/log.ts'
import { createMetrics, type Metrics } from './platform/observe/metrics.ts'
import { createOutboundClient, type OutboundClient } from './platform/outbound/client.ts'
import { createRedis, type Redis } from './platform/redis/redis.ts'
import { createSecrets, type Secrets } from './platform/secrets/secrets.ts'
import { createSigner, type Signer } from './platform/secrets/signer.ts'
import { createUpstream, type Upstream } from './platform/upstream/upstream.ts'
import { createServices, type Services } from './services/services.ts'

/** Everything the console depends on. Includes clock, id generator and log, so that tests can replace them. */
export interface Deps {
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  /** A UUID version 7 for the current time, or for a given time in milliseconds since the epoch. */
  newId: (atMs?: number) => string
  database: Database
  identity: Identity
  secrets: Secrets
  metrics: Metrics
  /** Undefined if EVOLUTION_URL is not set. */
  evolution: Upstream | undefined
  /** Undefined if NATS_URL is not set: events then stay in the outbox. */
  events: Events | undefined
  /** Undefined if REDIS_URL is not set: each replica then counts its own share. */
  redis: Redis | undefined
  budgetReplicas: number
  services: Services
  /** Fetches what callers name by a URL. */
  outbound: OutboundClient
  /** Undefined if PUBLIC_URL is not set. */
  publicUrl: string | undefined
  /** Signs the assertions for services. */
  signer: Signer
  /** Undefined if the browser console is not served. */
  web: Config['web']
  recoverDays: number
  maxEventLoopDelayMs: number
  /** Set when the process receives SIGTERM or SIGINT. */
  shutdown: { hasBegun: boolean }
  close: () => Promise<void>
}

export function createDeps(
  config: Config,
  overrides: Partial<Pick<Deps, 'log' | 'now' | 'newId'>> = {},
): Deps {
  const log = overrides.log ?? createLog(config.logLevel)
  const now = overrides.now ?? Date.now
  const metrics = createMetrics()
  const signer = createSigner(config.signingKeys)
  const own = { log, now, newId: overrides.newId ?? newId, metrics, signer }
  const opened = new AsyncDisposableStack()
  const evolution = config.evolution && createUpstream({ name: 'evolution', ...config.evolution, metrics })
  return {
    ...own,
    database: opened.adopt(createDatabase(config.databaseUrl, log, config.pool, metrics.turns), close),
    identity: createIdentity({ ...config.auth, now, log }),
    secrets: createSecrets(config.secretsKeys),
    evolution: evolution && opened.adopt(evolution, close),
    events: config.events && opened.adopt(createEvents(config.events, log), ({ nats }) => nats.close()),
    redis: config.redis && opened.adopt(createRedis(config.redis, log, metrics.redis()), close),
    budgetReplicas: config.budgetReplicas,
    services: opened.adopt(createServices({ ...config, ...own }), close),
    outbound: opened.adopt(createOutboundClient(config.outbound, { log }), close),
    publicUrl: config.publicUrl,
    web: config.web,
    recoverDays: config.recoverDays,
    maxEventLoopDelayMs: config.maxEventLoopDelayMs,
    shutdown: { hasBegun: false },
    close: () => opened.disposeAsync(),
  }
}
