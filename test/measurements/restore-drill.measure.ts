import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startPrivatePostgres } from '../../dev/private-postgres.ts'
import { migrate } from '../../scripts/migrate.ts'
import { seed } from '../../scripts/seed.ts'
import { startProcess } from '../acceptance/processes.ts'
import { openDatabase } from '../support/database.ts'
import { createRepository } from '../support/pgbackrest.ts'

/** Few at once; `npm run measure:drill` restores ten million. */
const AGENTS = Number(process.env['DRILL_AGENTS'] ?? 10_000)

const LOADING = ['max_wal_size=4GB', 'shared_buffers=1GB', 'checkpoint_timeout=30min']

it(`a drill restores and checks ${AGENTS} agents`, async (t) => {
  const repository = await createRepository()
  const postgres = await startPrivatePostgres({ settings: ['archive_mode=on', ...LOADING] })
  const database = openDatabase(postgres.url)
  try {
    const report = (line: string) => t.diagnostic(line)
    const timed = async (what: string, work: () => Promise<unknown>) => {
      const startedAt = performance.now()
      await work()
      report(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
    }
    await migrate(postgres.url, () => {})
    // The load itself is not archived: the backup comes after it.
    await database.query("ALTER SYSTEM SET archive_command = 'true'")
    await database.query('SELECT pg_reload_conf()')
    await timed('seed', () => seed(postgres.url, { agents: AGENTS, seed: 1 }, () => {}))
    const archive = await repository.attach(postgres)
    await timed('full backup', () => archive.backUp('full'))
    await database.query(
      "UPDATE agents SET purpose = 'after the backup' WHERE id IN (SELECT id FROM agents LIMIT 1000)",
    )
    const [size] = await database.query<{ text: string }>(
      'SELECT pg_size_pretty(pg_database_size(current_database())) AS text',
    )
    report(`database: ${size?.text}`)
    await archive.archived()
    const options = [`--config=${archive.config}`, '--database=postgres']
    const drill = startProcess('scripts/drill-restore.ts', {}, ...options)
    const code = await drill.ended
    for (const line of drill.output().trim().split('\n')) report(line)
    assert.equal(code, 0)
  } finally {
    await database.drop()
    await postgres.remove()
    await repository.remove()
  }
})
