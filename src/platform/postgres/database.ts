import { SpanKind } from '@opentelemetry/api'
import type { PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createTurnMetrics, Turns } from '../limits/turns.ts'
import type { Metrics } from '../observe/metrics.ts'
import { inSpan } from '../observe/tracing.ts'
import { type ConnectionOptions, type Connections, createConnections, createFailover } from './connections.ts'
import {
  countError,
  type DatabaseStatistics,
  type FailureCodes,
  mustLeavePool,
  problemFromDatabase,
} from './errors.ts'
import { observeDatabase } from './metrics.ts'
import { type Statement, sendStatement } from './sql.ts'
import { createStateCheck, type DatabaseState } from './state.ts'

export interface Sql extends Statements {
  /** Runs the statements of `work` in one transaction, and commits it unless `work` throws. */
  transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
}

/** A connection lost during a read is `database_unavailable`, during a write or a commit `outcome_unknown`. */
export interface Statements {
  read: <Row extends object>(statement: Statement) => Promise<Row[]>
  write: <Row extends object>(statement: Statement) => Promise<Row[]>
}

/** Gives each team a session. Each statement and each transaction of it takes its turn by itself. */
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

const QUERY = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }

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
    return { of: (teamId) => createSql(connections, statistics, takeTurns(turns, teamId)) }
  }
  const state = createStateCheck(system, log)
  const observed = metrics && observeDatabase(metrics, { statistics, state })
  return {
    of: inTurn('requests', requests, poolSize - searchPlaces).of,
    searches: inTurn('searches', searches, searchPlaces),
    system: createSql(system, statistics, (work) => work()),
    state,
    statistics,
    close: async () => {
      observed?.close()
      await Promise.all(pools.map(([, { pool }]) => pool.end()))
    },
  }
}

type Around = <Result>(work: () => Promise<Result>) => Promise<Result>

function takeTurns(turns: Turns, team: string): Around {
  return async (work) => {
    const turn = turns.enter(team)
    if (turn) await inSpan('wait for a turn', {}, () => turn)
    try {
      return await work()
    } finally {
      turns.leave(team)
    }
  }
}

function createSql(
  { take, giveBack, keepsStatements }: Connections,
  statistics: DatabaseStatistics,
  inTurn: Around,
): Sql {
  const use = async <Result>(work: (connection: Connection) => Promise<Result>) => {
    const client = await take()
    const connection: Connection = {
      isLost: false,
      send: async (statement, codes) => {
        try {
          const name = keepsStatements(client) ? (statement.name ?? '') : ''
          const run = () => sendStatement(client, name, statement.text, statement.values)
          return (await inSpan(statement.name ?? 'unnamed statement', QUERY, run)).rows as never
        } catch (error) {
          countError(statistics, error)
          if (mustLeavePool(error)) connection.isLost = true
          throw problemFromDatabase(error, codes)
        }
      },
    }
    try {
      return await work(connection)
    } finally {
      giveBack(client, connection.isLost)
    }
  }

  return {
    read: (statement) => inTurn(() => use(({ send }) => send(statement, READ))),
    write: (statement) => inTurn(() => use(({ send }) => send(statement, WRITE))),
    transaction: (work) => inTurn(() => use((connection) => transact(connection, work))),
  }
}

interface Connection {
  send: <Row extends object>(statement: Statement, codes: FailureCodes) => Promise<Row[]>
  /** The connection must not be used again. */
  isLost: boolean
}

// A read waits only for a lock on the whole table, never for another change of an agent.
const READ: FailureCodes = { lost: 'database_unavailable', locked: 'database_unavailable' }
const WRITE: FailureCodes = { lost: 'outcome_unknown', locked: 'agent_busy' }
/** Without its COMMIT a transaction has no effect. */
const IN_TRANSACTION: FailureCodes = { lost: 'database_unavailable', locked: 'agent_busy' }

const command = (text: string): Statement => ({ name: undefined, text, values: [] })

/** A process that stops within a transaction must not keep its locks. */
const BEGIN = command("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'")

async function transact<Result>(
  connection: Connection,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  const send = <Row extends object>(statement: Statement) => connection.send<Row>(statement, IN_TRANSACTION)
  try {
    // A BEGIN that fails in its second command has begun a transaction, too.
    await send(BEGIN)
    const result = await work({ read: send, write: send })
    await connection.send(command('COMMIT'), WRITE)
    return result
  } catch (error) {
    if (!connection.isLost) await rollBack(connection)
    throw error
  }
}

/** A connection that cannot roll back leaves the pool: the next request would get its aborted transaction. */
async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.send(command('ROLLBACK'), IN_TRANSACTION)
  } catch {
    connection.isLost = true
  }
}
