import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { TABLE_GRANTS } from '../../scripts/grants.ts'
import { withoutValues } from '../../scripts/migrate/blockers.ts'
import { migrate } from '../../scripts/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { migrationFolder, SMALL_BASELINE } from '../support/migrations.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

const ADD_COLUMN = "SET lock_timeout = '300ms';\nALTER TABLE agents ADD COLUMN purpose text;\n"
const BUILD_INDEX = `-- No transaction
SET lock_timeout = '10s';
DROP INDEX CONCURRENTLY IF EXISTS agents_by_age;
CREATE INDEX CONCURRENTLY agents_by_age ON agents (created_at);
`

describe('npm run migrate', () => {
  let database: TestDatabase
  let lines: string[]
  const log = (line: string) => void lines.push(line)
  beforeEach(async (t) => {
    const created = await createEmptyDatabase()
    database = created
    lines = []
    assert.ok('after' in t)
    t.after(() => created.drop())
  })
  const blocker = async (statements: string) => {
    const client = new Client({ connectionString: database.url, application_name: 'nightly report' })
    client.on('error', () => {})
    await client.connect()
    await client.query(statements)
    return client
  }
  const names = async () =>
    (await database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')).map(
      ({ name }) => name,
    )
  const hasColumn = async () =>
    (await database.query(`SELECT FROM pg_attribute WHERE attname = 'purpose'`)).length > 0

  it('applies each file once, and says so', async (t) => {
    const folder = migrationFolder(t, { '0001_baseline.sql': SMALL_BASELINE, '0002_column.sql': ADD_COLUMN })
    await migrate(database.url, log, { folder })
    await migrate(database.url, log, { folder })
    assert.deepEqual(lines, [
      'Applying 0001_baseline',
      'Applying 0002_column',
      'The schema is up to date.',
      'The schema was up to date already.',
    ])
    assert.deepEqual(await names(), ['0001_baseline', '0002_column'])
  })

  it('grants the role that serves what the version needs, and nothing of the audit log more', async () => {
    const role = `served_${randomUUID().slice(0, 8)}`
    await assert.rejects(migrate(database.url, log, { role }), new RegExp(`role "${role}" does not exist`))
    await database.query(`CREATE ROLE ${role}`)
    try {
      await Promise.all([migrate(database.url, log, { role }), migrate(database.url, log, { role })])
      assert.equal(lines.at(-1), `The role ${role} has the rights that this version needs.`)
      const has = async (table: string, right: string) => {
        // UPDATE (payload)
        const [name, column] = right.split(/ \(|\)/)
        const [row] = await database.query<{ has: boolean }>(
          column === undefined
            ? 'SELECT has_table_privilege($1, $2, $3) AS has'
            : `SELECT has_column_privilege($1, $2, '${column}', $3) AS has`,
          [role, table, name],
        )
        return row?.has
      }
      for (const [table, rights] of Object.entries(TABLE_GRANTS))
        for (const right of rights) assert.equal(await has(table, right), true, `${right} on ${table}`)
      for (const right of ['UPDATE', 'DELETE', 'TRUNCATE'])
        assert.equal(await has('audit_events', right), false, right)
    } finally {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  it('tries again when a lock is not free in time, and says what holds it without values', async (t) => {
    const files = { '0001_baseline.sql': SMALL_BASELINE }
    await migrate(database.url, log, { folder: migrationFolder(t, files) })
    const reader = await blocker("BEGIN; SELECT FROM agents WHERE name = 'secret-canary' AND revision = 4711")
    const folder = migrationFolder(t, { ...files, '0002_column.sql': ADD_COLUMN })
    const migrating = migrate(database.url, log, { folder, maxPauseMs: 10 })
    const reports = () => lines.filter((line) => line.includes('nightly report'))
    await until('it has tried twice', () => reports().length > 1)
    assert.equal(await hasColumn(), false)
    await reader.query('COMMIT')
    await migrating
    await reader.end()
    assert.equal(await hasColumn(), true)
    assert.match(
      reports()[0] ?? '',
      /^0002_column could not get a lock in time\. It is held by process \d+ "nightly report", idle in transaction, transaction open for \d+ s: BEGIN; SELECT FROM agents WHERE name = \? AND revision = \?\nTrying again in 0\.01 s \(attempt \d+ of 30\)\.$/,
    )
    assert.doesNotMatch(lines.join('\n'), /secret-canary|4711/)
  })

  it('gives up after the last attempt and leaves nothing of the file behind', async (t) => {
    const files = { '0001_baseline.sql': SMALL_BASELINE }
    await migrate(database.url, log, { folder: migrationFolder(t, files) })
    const reader = await blocker('BEGIN; SELECT FROM agents')
    const folder = migrationFolder(t, {
      ...files,
      '0002_column.sql': `SET lock_timeout = '50ms';\nCREATE TABLE notes (id int);\n${ADD_COLUMN}`,
    })
    await assert.rejects(
      migrate(database.url, log, { folder, maxAttempts: 2, maxPauseMs: 1 }),
      /could not get a lock in time[^]*Gave up after 2 attempts/,
    )
    await reader.end()
    assert.deepEqual(await names(), ['0001_baseline'])
    assert.equal((await database.query(`SELECT FROM pg_class WHERE relname = 'notes'`)).length, 0)
  })

  it('builds an index outside of a transaction, and again after a build that was cut off', async (t) => {
    const files = { '0001_baseline.sql': SMALL_BASELINE }
    await migrate(database.url, log, { folder: migrationFolder(t, files) })
    const folder = migrationFolder(t, { ...files, '0002_index.sql': BUILD_INDEX })
    const writer = await blocker('BEGIN; LOCK TABLE agents IN ROW EXCLUSIVE MODE')
    const migrating = migrate(database.url, log, { folder })
    migrating.catch(() => {})
    const builds = () => waitingForLock(database, 'CREATE INDEX CONC')
    await until('the build waits for the writer', async () => (await builds()).length > 0)
    await until('a long wait is reported', () =>
      lines.some((line) => line.startsWith('Waiting for a lock. ')),
    )
    await database.query('SELECT pg_terminate_backend($1)', [(await builds())[0]])
    await assert.rejects(migrating, /terminating connection/)
    await writer.end()
    const valid = () =>
      database.query<{ indisvalid: boolean }>(
        `SELECT indisvalid FROM pg_index WHERE indexrelid = 'agents_by_age'::regclass`,
      )
    assert.deepEqual(await valid(), [{ indisvalid: false }])
    await migrate(database.url, log, { folder })
    assert.deepEqual(await valid(), [{ indisvalid: true }])
    assert.deepEqual(await names(), ['0001_baseline', '0002_index'])
  })

  it('waits for another run that is in progress', async (t) => {
    const folder = migrationFolder(t, { '0001_baseline.sql': SMALL_BASELINE })
    await Promise.all([1, 2, 3].map(() => migrate(database.url, log, { folder })))
    assert.deepEqual(await names(), ['0001_baseline'])
    assert.equal(lines.filter((line) => line === 'Applying 0001_baseline').length, 1)
  })

  it('refuses a database with migrations that it does not have', async (t) => {
    const old = migrationFolder(t, { '0001_agents.sql': 'SELECT 1;', '0002_outbox.sql': 'SELECT 1;' })
    await migrate(database.url, log, { folder: old })
    const folder = migrationFolder(t, { '0001_baseline.sql': SMALL_BASELINE })
    await assert.rejects(migrate(database.url, log, { folder }), {
      message:
        'The database contains migrations that this version does not have: 0001_agents, 0002_outbox. A newer version ' +
        'migrated it, or a version from before the first release. Run the version that migrated it, or use an empty database.',
    })
    assert.deepEqual(await names(), ['0001_agents', '0002_outbox'])
  })

  it('names the file and the line of an error', async (t) => {
    const folder = migrationFolder(t, { '0001_baseline.sql': 'SELECT 1;\n\nSELECT FROM nowhere;\n' })
    await assert.rejects(migrate(database.url, log, { folder }), {
      message: '0001_baseline failed at line 3: relation "nowhere" does not exist',
    })
  })

  it('shows no value of a statement, complete or cut off', () => {
    for (const [query, shown] of [
      [`UPDATE a SET b = 'it''s' WHERE c = 12.5e3 AND d1 = $2`, 'UPDATE a SET b = ? WHERE c = ? AND d1 = $2'],
      [`SELECT E'it\\'s secret', 'x'`, 'SELECT E?, ?'],
      [`SELECT 'cut off`, 'SELECT ?'],
      ['SELECT $tag$secret$tag$, $$cut', 'SELECT ?, ?'],
    ])
      assert.equal(withoutValues(query ?? ''), shown)
  })
})
