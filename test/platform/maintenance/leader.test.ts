import assert from 'node:assert/strict'
import { beforeEach, describe, it, type TestContext } from 'node:test'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createMetrics } from '../../../src/platform/observe/metrics.ts'
import {
  createLeader,
  type Leader,
  runMaintenance,
  type Step,
} from '../../../src/platform/postgres/maintenance.ts'
import { createMaintenanceMetrics } from '../../../src/platform/postgres/metrics.ts'
import { useDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

type Work = Step['run']

const step = (run: Work, intervalMs = 5): Step => ({ name: 'work', intervalMs, run })
const statement = (text: string) => ({ name: undefined, text, values: [] })

describe('maintenance', async () => {
  const database = await useDatabase()
  await database.query('CREATE TABLE work (done int)')
  beforeEach(() => database.query('TRUNCATE work'))

  const start = (t: TestContext, steps: Step[]) => {
    const logLines: { msg: string; task?: string }[] = []
    const log = createLog('debug', { write: (line) => void logLines.push(JSON.parse(line)) })
    const { registry, of } = createMetrics()
    const { runStep, close: closeLeader } = createLeader(database.url, log)
    const isPaused: boolean[] = []
    const leader: Leader = {
      close: closeLeader,
      runStep: (...args) => {
        isPaused.push(args[2] !== undefined)
        return runStep(...args)
      },
    }
    const running = runMaintenance({
      leader,
      steps,
      metrics: of(createMaintenanceMetrics),
      log,
      now: Date.now,
    })
    let closed: Promise<void> | undefined
    const close = () => (closed ??= running.close())
    t.after(close)
    const count = async (outcome: string) => {
      const { values } = await (registry.getSingleMetric('console_maintenance_runs_total')?.get() ?? {
        values: [],
      })
      return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0
    }
    return { close, logLines, registry, count, isPaused }
  }

  it('runs one step at a time in all processes, and in the next one when a process dies', async (t) => {
    let inside = 0
    let most = 0
    let runs = 0
    const released = Promise.withResolvers<void>()
    t.after(() => released.resolve())
    const slow: Work = async (sql) => {
      most = Math.max(most, ++inside)
      runs += 1
      await sql.write(statement('INSERT INTO work VALUES (1)'))
      await released.promise
      inside -= 1
      return false
    }
    const first = start(t, [step(slow)])
    await until('the first process works', () => inside === 1)
    let hasTakenOver = false
    const second = start(t, [
      step(async () => {
        hasTakenOver = true
        return false
      }),
    ])
    await until('the second process skips', async () => (await second.count('skipped')) > 2)
    assert.equal(hasTakenOver, false)
    // As PostgreSQL sees a process that is killed.
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'agent-console-maintenance' AND state LIKE 'idle in%'`,
    )
    await until('the second process takes over', () => hasTakenOver)
    assert.equal((await database.query('SELECT FROM work')).length, 0, 'a step that is cut off has no effect')
    released.resolve()
    await until('the first process reports the failure', async () => (await first.count('failed')) === 1)
    await until('the first process works again', () => runs > 1)
    assert.equal(most, 1)
  })

  it('goes on with a step that has more to do, with a pause before each further run', async (t) => {
    let left = 5
    const { count, registry, isPaused } = start(t, [
      step(async (sql) => {
        await sql.write(statement('INSERT INTO work SELECT generate_series(1, 3)'))
        return --left > 0
      }, 600_000),
    ])
    await until('all is done', async () => (await count('succeeded')) === 5)
    assert.deepEqual(isPaused, [false, true, true, true, true])
    const rows = await registry.getSingleMetric('console_maintenance_rows_total')?.get()
    assert.equal(rows?.values[0]?.value, 15)
    assert.equal((await database.query('SELECT FROM work')).length, 15)
    const success = await registry
      .getSingleMetric('console_maintenance_last_success_timestamp_seconds')
      ?.get()
    assert.ok(Math.abs((success?.values[0]?.value ?? 0) - Date.now() / 1_000) < 60)
  })

  it('reports a failure once, continues with the other steps, and reports the recovery', async (t) => {
    let isBroken = true
    let others = 0
    const { logLines, count } = start(t, [
      step((sql) => sql.read(statement(isBroken ? 'SELECT 1 / 0' : 'SELECT 1')).then(() => false)),
      { ...step(async () => ++others < 0), name: 'other' },
    ])
    await until('it failed often', async () => others > 5 && (await count('failed')) > 5)
    isBroken = false
    await until('it works again', () => logLines.some(({ msg }) => msg === 'maintenance works again'))
    assert.deepEqual(
      logLines.map(({ msg, task }) => [msg, task]),
      [
        ['maintenance failed; it is tried again', 'work'],
        ['maintenance works again', 'work'],
      ],
    )
  })

  it('ends in the middle of a pause, and leaves no connection', async (t) => {
    let runs = 0
    const { close } = start(t, [step(async () => ++runs > 0)])
    await until('it works', () => runs > 2)
    await close()
    const connections = () =>
      database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%maintenance'`,
      )
    await until('the connection is closed', async () => (await connections()).length === 0)
  })

  it('is the leader during the step and the pause before it: no other process works meanwhile', async (t) => {
    const log = createLog('silent')
    const [one, other] = [createLeader(database.url, log), createLeader(database.url, log)]
    t.after(() => Promise.all([one.close(), other.close()]))
    const attempts: string[] = []
    const attempt = async () => {
      const { outcome } = await other.runStep(
        step(async () => false),
        0,
      )
      attempts.push(outcome)
    }
    const working = step(async () => {
      await attempt()
      return true
    })
    assert.deepEqual(await one.runStep(working, 0, attempt), { outcome: 'more', changedRows: 0 })
    await attempt()
    assert.deepEqual(attempts, ['skipped', 'skipped', 'done'])
  })
})
