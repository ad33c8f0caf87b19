import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { Config } from './config.ts'
import { createDatabase, type Database } from './platform/database.ts'
import { createIdentity, type Identity } from './platform/identity.ts'
import { createLog } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createSecrets, type Secrets } from './platform/secrets.ts'
import { createUpstream, type Upstream } from './platform/upstream/upstream.ts'

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
  /** Set once a signal to end has arrived. */
  shutdown: { begun: boolean }
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
    shutdown: { begun: false },
  }
}
