import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import { teamId } from '../../scripts/seed/fleet.ts'
import { startConsoleProcess } from '../acceptance/processes.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { prepareUpgrade } from './last-upgrade.ts'
import { watchLockWaits } from './lock-waits.ts'
import { SLACK } from './timing.ts'
import { startTraffic } from './traffic.ts'

const AGENTS = Number(process.env['UPGRADE_AGENTS'] ?? 5_000)

/** Longer than the lock timeout of any migration, so that each has to give up and try again. */
const LONG_READ_MS = 3_000

const MAX_WAIT_MS = 1_000 * SLACK

it(`the newest migration of ${AGENTS} agents fails no request and blocks none for a second`, async (t) => {
  const upgrade = prepareUpgrade()
  t.after(upgrade.remove)
  const database = await createEmptyDatabase()
  const running = await startConsoleProcess(
    { LOG_LEVEL: 'error', DATABASE_URL: database.url, DATABASE_LOCK_TIMEOUT_MS: String(MAX_WAIT_MS) },
    upgrade.root,
  )
  t.after(async () => {
    await running.close()
    await database.drop()
  })
  const tell = (line: string) => t.diagnostic(line)
  await migrate(database.url, () => {}, { folder: upgrade.before })
  await promisify(execFile)(
    process.execPath,
    [join(upgrade.root, 'scripts/seed.ts'), '--agents', String(AGENTS)],
    { env: { ...process.env, DATABASE_URL: database.url }, maxBuffer: 2 ** 24 },
  )
  const team = teamId(0)
  const rows = await database.query<{ id: string }>('SELECT id FROM agents WHERE team_id = $1 LIMIT 200', [
    team,
  ])
  const traffic = await startTraffic({
    url: running.url,
    token: await running.token({ team }),
    ids: rows.map(({ id }) => id),
  })
  const lockWaits = await watchLockWaits(database.url)
  const moreRequests = (from = traffic.requests()) =>
    until('requests are answered', () => traffic.requests() > from + 200, 60_000)

  await moreRequests()
  const reader = new Client({ connectionString: database.url, application_name: 'long report' })
  await reader.connect()
  await reader.query('BEGIN; SELECT FROM agents LIMIT 1')
  const lines: string[] = []
  const migrating = migrate(database.url, (line) => void lines.push(line), { folder: upgrade.after })
  await sleep(LONG_READ_MS)
  await reader.query('COMMIT')
  await reader.end()
  await migrating
  await moreRequests()

  const longestWaitMs = await lockWaits.stop()
  const { requests, failures, slowestMs } = await traffic.stop()
  for (const line of lines) tell(line)
  tell(
    `${upgrade.files.join(', ')}: ${requests} requests, ${failures.length} failed; longest wait for a lock ` +
      `${longestWaitMs.toFixed(0)} ms, slowest request ${slowestMs.toFixed(0)} ms`,
  )
  if (upgrade.from === undefined)
    assert.match(lines.join('\n'), /long report/, 'the long read was in the way')
  assert.deepEqual(failures, [])
  assert.ok(longestWaitMs < MAX_WAIT_MS, `${longestWaitMs} ms`)
})
