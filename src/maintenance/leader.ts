import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Statement, Statements } from '../platform/database/database.ts'
import { createPool } from '../platform/database/pool.ts'
import type { Step } from './step.ts'

/** Advisory lock shared by all processes on a database: 'maint' in ASCII. */
const LEADER_LOCK = 0x6d61696e74

const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL lock_timeout = '200ms';
SELECT pg_try_advisory_xact_lock(${LEADER_LOCK}) AS held`

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export interface StepResult {
  /** `skipped` if another process is the leader. */
  outcome: 'done' | 'more' | 'skipped'
  changedRows: number
}

export interface Leader {
  /** Runs the step in a transaction, unless another process runs one. Waits for `pause` while it holds the lock, so that all
   * processes together pause, however many there are. */
  runStep: (step: Step, nowSeconds: number, pause?: () => Promise<void>) => Promise<StepResult>
  close: () => Promise<void>
}

/** Has its own connection, so that background work takes none from requests. A lock within a transaction works through
 * PgBouncer, and PostgreSQL releases it at once when the process dies. */
export function createLeader(url: string, log: Logger): Leader {
  const pool = createPool(
    { connectionString: url, application_name: 'agent-console-maintenance', max: 1 },
    log,
  )
  return {
    runStep: (step, nowSeconds, pause) => runStep(pool, step, nowSeconds, pause),
    close: () => pool.end(),
  }
}

async function runStep(
  pool: Pool,
  { run, commitsEachStatement = false }: Step,
  nowSeconds: number,
  pause: (() => Promise<void>) | undefined,
): Promise<StepResult> {
  const client = await pool.connect()
  let changedRows = 0
  // Without the names of the statements, which not every PgBouncer knows.
  const send = async <Row extends object>({ text, values }: Statement) => {
    const { command, rowCount, rows } = await client.query(text, values)
    if (CHANGES.has(command)) changedRows += rowCount ?? 0
    return rows as Row[]
  }
  const sql: Statements = { read: send, write: send }

  const becomeLeader = async () => {
    const results = (await client.query(BEGIN)) as unknown as { rows: { held: boolean }[] }[]
    return results.at(-1)?.rows[0]?.held === true
  }
  const work = async (): Promise<StepResult['outcome']> => {
    if (!commitsEachStatement && !(await becomeLeader())) {
      await client.query('ROLLBACK')
      return 'skipped'
    }
    await pause?.()
    const hasMore = await run(sql, nowSeconds)
    if (!commitsEachStatement) await client.query('COMMIT')
    return hasMore ? 'more' : 'done'
  }
  try {
    const outcome = await work()
    client.release()
    return { outcome, changedRows }
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true)
    throw error
  }
}
