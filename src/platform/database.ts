import { DatabaseError, type Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { createPool } from './pool.ts'
import { within } from './within.ts'

export interface Statement {
  /** A named statement is planned once a connection, one without a name each time. */
  name: string | undefined
  text: string
  values: unknown[]
}

/** The connection every query takes first. Reading and writing differ in what a lost connection means. */
export interface Sql {
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
    // Compiling a plan takes longer than any statement here runs.
    options: '-c jit=off',
  }
  const pool = createPool(options, log)

  const run = async <Row extends object>(
    statement: Statement,
    whenLost: 'database_unavailable' | 'outcome_unknown',
  ) => {
    const client = await connect(pool)
    let failure: unknown
    try {
      return (await client.query<Row>({ ...statement, name: statement.name ?? '' })).rows
    } catch (error) {
      failure = error
      throw toProblem(error, whenLost)
    } finally {
      client.release(isLost(failure))
    }
  }

  return {
    read: (statement) => run(statement, 'database_unavailable'),
    write: (statement) => run(statement, 'outcome_unknown'),
    isUp: createProbe(pool),
    close: () => pool.end(),
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new Problem('database_unavailable', { headers: RETRY_AFTER, cause: error })
  }
}

const PROBE_MS = 500

/** Asks whether agents can be read, one question at a time: a health check waits neither for a database that hangs
 * nor for a pool that is exhausted. */
function createProbe(pool: Pool): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined
  const ask = async () => {
    try {
      await pool.query('SELECT FROM agents LIMIT 0')
      return true
    } catch {
      return false
    } finally {
      asked = undefined
    }
  }
  return async () => {
    asked ??= ask()
    return within(PROBE_MS, asked, false)
  }
}

/** Refused before it began or rolled back by the server: the statement had no effect. */
const UNAVAILABLE = new Set([
  '53300', // too many connections
  '57014', // cancelled by the statement time-out
  '57P03', // starting up or shutting down
  '25006', // a standby that took over the address of its primary
  '40001',
  '40P01',
])

function toProblem(error: unknown, whenLost: 'database_unavailable' | 'outcome_unknown'): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (UNAVAILABLE.has(code))
    return new Problem('database_unavailable', { headers: RETRY_AFTER, cause: error })
  if (code === '23514' && (error as DatabaseError).constraint === 'agent_fits_a_body') {
    return new Problem('agent_too_large')
  }
  if (isLost(error)) return new Problem(whenLost, { headers: RETRY_AFTER, cause: error })
  return error
}

/** The answer to the statement will never come: the server went away, or took too long to say anything. */
function isLost(error: unknown): boolean {
  if (error === undefined) return false
  if (!(error instanceof DatabaseError)) return true
  return error.code?.startsWith('08') === true || error.code?.startsWith('57P') === true
}
