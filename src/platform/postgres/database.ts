import type { PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createTurnMetrics, Turns } from '../limits/turns.ts'
import type { Metrics } from '../observe/metrics.ts'
import { type ConnectionOptions, type Connections, createConnections, createFailover } from './connections.ts'
import type { DatabaseStatistics } from './errors.ts'
import { observeDatabase } from './metrics.ts'
import { Session, type Sql } from './session.ts'
import { createStateCheck, type DatabaseState } from './state.ts'

export type { Sql, Statements } from './session.ts'

/** Gives each team a session. */
export interface Sessions {
  of: (teamId: string) => Sql
}

export interface Database extends Sessions {
  /** For searches and counts: their own connections, with a shorter time limit. */
  searches: Sessions
  /** For statements of the console itself: their own connections, so that requests cannot delay them. Each kind of
   * statement runs at most once at a time. */
  system: Sql
  state: () => Promise<DatabaseState>
  statistics: DatabaseStatistics
  close: () => Promise<void>
}

export interface PoolOptions {
  /** Connections for requests. */
  poolSize: number
  /** Maximum wait for a turn. A request may need several. */
  maxWaitMs: number
  /** Maximum wait for a row lock. */
  lockTimeoutMs: number
  connectTimeoutMs: number
  connectionLifetimeS: number
}

/** The longest time that a search may take. */
const SEARCH_TIMEOUT_MS = 2_000

/** Audit events may hold two of them while their table is locked. The third is for the state of the database. */
const SYSTEM_CONNECTIONS = 3

export function createDatabase(
  url: string,
  log: Logger,
  { poolSize, maxWaitMs, lockTimeoutMs, connectTimeoutMs, connectionLifetimeS }: PoolOptions,
  metrics?: Metrics,
): Database {
  const options: ConnectionOptions = {
    connectionString: url,
    application_name: 'agent-console',
    connectionTimeoutMillis: connectTimeoutMs,
    maxLifetimeSeconds: connectionLifetimeS,
    idleTimeoutMillis: 30_000,
    // JIT compilation of a plan takes longer than any of our statements. A search with parallel workers would take the
    // processor from other teams. The log of PostgreSQL must not contain the values of a statement that fails.
    options:
      `-c jit=off -c max_parallel_workers_per_gather=0 -c lock_timeout=${lockTimeoutMs} ` +
      '-c log_parameter_max_length_on_error=0',
  }
  const searchPlaces = Math.max(1, Math.floor((poolSize * 3) / 16))
  const failover = createFailover()
  const open = (own: Pick<PoolConfig, 'max' | 'statement_timeout' | 'query_timeout' | 'options'>) =>
    createConnections({ ...options, ...own }, failover, log)
  const requests = open({ max: poolSize - searchPlaces })
  const searches = open({
    max: searchPlaces,
    // A search reads only the rows of its team. PostgreSQL would read a whole partition if most of it is of one team.
    options: `${options.options} -c enable_seqscan=off`,
    statement_timeout: SEARCH_TIMEOUT_MS,
    query_timeout: 2 * SEARCH_TIMEOUT_MS,
  })
  const system = open({ max: SYSTEM_CONNECTIONS })
  const pools = Object.entries({ requests, searches, system })
  const statistics: DatabaseStatistics = {
    pools: new Map(pools.map(([name, connections]) => [name, connections.statistics])),
    errors: new Map(),
  }
  const inTurn = (name: string, connections: Connections, places: number): Sessions => {
    const turns = new Turns({ places, maxWaitMs, metrics: metrics?.of(createTurnMetrics)(name) })
    return { of: (teamId) => new Session({ connections, statistics, turns }, teamId) }
  }
  const state = createStateCheck(system, log)
  const observed = metrics && observeDatabase(metrics, { statistics, state })
  return {
    of: inTurn('requests', requests, poolSize - searchPlaces).of,
    searches: inTurn('searches', searches, searchPlaces),
    system: new Session({ connections: system, statistics, turns: undefined }, ''),
    state,
    statistics,
    close: async () => {
      observed?.close()
      await Promise.all(pools.map(([, { pool }]) => pool.end()))
    },
  }
}
