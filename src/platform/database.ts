import { DatabaseError, type Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { createPool } from './pool.ts'
import { withTimeout } from './with-timeout.ts'

export interface Statement {
  /** PostgreSQL plans a named statement once for each connection, and an unnamed one at each execution. */
  name: string | undefined
  text: string
  values: unknown[]
}

export interface Sql extends Statements {
  /** Runs the statements of `work` in one transaction, and commits it unless `work` throws. */
  transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
}

/** A connection lost during a read is `database_unavailable`, during a write `outcome_unknown`. */
export interface Statements {
  read: <Row extends object>(statement: Statement) => Promise<Row[]>
  write: <Row extends object>(statement: Statement) => Promise<Row[]>
}

export interface Database extends Sql {
  isUp: () => Promise<boolean>
  close: () => Promise<void>
}

const RETRY_AFTER = { 'retry-after': '2' }

export function createDatabase(url: string, log: Logger): Database {
  const options: PoolConfig = {
    connectionString: url,
    application_name: 'agent-console',
    max: 16,
    idleTimeoutMillis: 30_000,
    // JIT compilation of a plan takes longer than any of our statements.
    options: '-c jit=off',
  }
  const pool = createPool(options, log)

  /** Runs the work on a connection. A connection that is lost does not go back to the pool. */
  const use = async <Result>(
    whenLost: 'database_unavailable' | 'outcome_unknown',
    work: (connection: Connection) => Promise<Result>,
  ) => {
    const client = await connect(pool)
    const connection: Connection = {
      isLost: false,
      send: async (statement) => {
        try {
          return (await client.query({ ...statement, name: statement.name ?? '' })).rows as never
        } catch (error) {
          connection.isLost = isLost(error)
          throw problemFromDatabase(error, whenLost)
        }
      },
    }
    try {
      return await work(connection)
    } finally {
      client.release(connection.isLost)
    }
  }

  return {
    read: (statement) => use('database_unavailable', ({ send }) => send(statement)),
    write: (statement) => use('outcome_unknown', ({ send }) => send(statement)),
    transaction: (work) => use('outcome_unknown', (connection) => transact(connection, work)),
    isUp: createProbe(pool),
    close: () => pool.end(),
  }
}

interface Connection {
  send: <Row extends object>(statement: Statement) => Promise<Row[]>
  isLost: boolean
}

const command = (text: string): Statement => ({ name: undefined, text, values: [] })

/** A process that stops within a transaction must not keep its locks. */
const BEGIN = command("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'")

async function transact<Result>(
  connection: Connection,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  const { send } = connection
  await send(BEGIN)
  try {
    const result = await work({ read: send, write: send })
    await send(command('COMMIT'))
    return result
  } catch (error) {
    if (!connection.isLost) await send(command('ROLLBACK'))
    throw error
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new Problem('database_unavailable', { headers: RETRY_AFTER, cause: error })
  }
}

const PROBE_TIMEOUT_MS = 500

/** Tests whether agents can be read, with one query at a time. The time limit covers a database that hangs and an
 * exhausted pool. */
function createProbe(pool: Pool): () => Promise<boolean> {
  let pending: Promise<boolean> | undefined
  const probe = async () => {
    try {
      await pool.query('SELECT FROM agents LIMIT 0')
      return true
    } catch {
      return false
    } finally {
      pending = undefined
    }
  }
  return async () => {
    pending ??= probe()
    return withTimeout(PROBE_TIMEOUT_MS, pending, false)
  }
}

/** The server refused the statement or rolled it back: it had no effect. */
const UNAVAILABLE = new Set([
  '53300', // too many connections
  '57014', // cancelled by the statement timeout
  '57P03', // starting up or shutting down
  '25006', // read-only: a standby at the address of the primary
  '40001', // serialization failure
  '40P01', // deadlock
])

function problemFromDatabase(error: unknown, whenLost: 'database_unavailable' | 'outcome_unknown'): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (UNAVAILABLE.has(code))
    return new Problem('database_unavailable', { headers: RETRY_AFTER, cause: error })
  if (isLost(error)) return new Problem(whenLost, { headers: RETRY_AFTER, cause: error })
  return error
}

/** The connection broke or timed out, so the result of the statement is unknown. */
function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return error.code?.startsWith('08') === true || error.code?.startsWith('57P') === true
}
