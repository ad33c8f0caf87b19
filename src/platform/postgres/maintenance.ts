import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Metrics } from '../observe/metrics.ts'
import { createPool } from './connections.ts'
import type { Statements } from './database.ts'
import { createMaintenanceMetrics, type MaintenanceMetrics } from './metrics.ts'
import type { Statement } from './sql.ts'

/** One kind of background work. It must be safe to stop at any moment, and to start again in another process. */
export interface Step {
  /** The label `task` of the metrics. */
  name: string
  intervalMs: number
  /** Does one bounded part of the work. Returns whether there is more to do. */
  run: (sql: Statements, nowSeconds: number) => Promise<boolean>
  /** Each statement commits by itself: for a statement whose lock must not last until this process sends COMMIT. Such a
   * step runs without the lock of the leader, so its statements must take a lock of their own. */
  commitsEachStatement?: boolean
}

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
  /** Runs the step in a transaction, unless another process runs one. Waits for `pause` while it holds the lock, so
   * that all processes together pause, however many there are. */
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

export interface MaintenanceDeps {
  leader: Leader
  steps: readonly Step[]
  metrics: MaintenanceMetrics
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
}

export interface Maintenance {
  close: () => Promise<void>
}

/** With a pause of four times the work, maintenance uses at most a fifth of one connection. */
const PAUSE_FACTOR = 4
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 2_000

interface Task {
  step: Step
  dueAt: number
  /** Set if the last run left more to do. */
  pauseMs: number | undefined
  isFailing: boolean
}

/** Runs each step at its interval, and again after a pause while it has more to do, until it is closed. */
export function runMaintenance({ leader, steps, metrics, log, now }: MaintenanceDeps): Maintenance {
  const closing = new AbortController()
  const pauseFor = (ms: number) => sleep(ms, undefined, { signal: closing.signal })
  const tasks = steps.map(
    (step): Task => ({
      step,
      // Processes that start together do not compete for the lock at each interval.
      dueAt: performance.now() + Math.random() * Math.min(step.intervalMs, 1_000),
      pauseMs: undefined,
      isFailing: false,
    }),
  )

  const run = async (task: Task) => {
    const { step, pauseMs } = task
    task.pauseMs = undefined
    task.dueAt = performance.now() + step.intervalMs * (0.75 + Math.random() / 2)
    let startedAt = performance.now()
    const pause = async () => {
      await pauseFor(pauseMs ?? 0)
      startedAt = performance.now()
    }
    try {
      const result = await leader.runStep(step, Math.floor(now() / 1_000), pauseMs ? pause : undefined)
      metrics.countRun(step.name, result.outcome === 'skipped' ? 'skipped' : 'succeeded', result.changedRows)
      if (task.isFailing) log.info({ task: step.name }, 'maintenance works again')
      task.isFailing = false
      if (result.outcome !== 'more') return
      const workMs = performance.now() - startedAt
      task.pauseMs = Math.min(Math.max(workMs * PAUSE_FACTOR, MIN_PAUSE_MS), MAX_PAUSE_MS)
      task.dueAt = performance.now()
    } catch (error) {
      if (closing.signal.aborted) return
      metrics.countRun(step.name, 'failed', 0)
      if (!task.isFailing) log.warn({ err: error, task: step.name }, 'maintenance failed; it is tried again')
      task.isFailing = true
    }
  }

  const runAll = async () => {
    while (!closing.signal.aborted) {
      const next = tasks.reduce((first, task) => (task.dueAt < first.dueAt ? task : first))
      await pauseFor(Math.max(0, next.dueAt - performance.now())).catch(() => {})
      if (!closing.signal.aborted) await run(next)
    }
  }
  const running = runAll()

  return {
    close: async () => {
      closing.abort()
      await running
      await leader.close()
    },
  }
}

export interface MaintenanceOptions {
  config: { databaseUrl: string }
  metrics: Metrics
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
}

export function startMaintenance(
  { config, metrics, log, now }: MaintenanceOptions,
  steps: readonly Step[],
): Maintenance {
  const leader = createLeader(config.databaseUrl, log)
  return runMaintenance({ leader, steps, metrics: metrics.of(createMaintenanceMetrics), log, now })
}
