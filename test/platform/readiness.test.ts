import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

describe('readiness', async () => {
  const running = await useConsole()
  const { query, url } = running.database
  const database = new URL(url).pathname.slice(1)
  const readiness = async () => {
    const { status, body } = await running.request('GET', '/health/ready')
    return [status, body.status, body.dependencies.database]
  }
  /** Waits: on a busy machine the check of the database may not end within its time limit. */
  const becomes = (...expected: (number | string)[]) =>
    until(`readiness is ${expected.join()}`, async () => isDeepStrictEqual(await readiness(), expected))
  const person = await running.person()
  const { id } = await createAgent(running, person)

  it('is refused while the database lacks a migration that the code needs', async () => {
    await becomes(200, 'ready', 'up')
    const [newest] = await query<{ name: string }>(
      'DELETE FROM schema_migrations WHERE id = (SELECT max(id) FROM schema_migrations) RETURNING name',
    )
    await becomes(503, 'schema_outdated', 'schema_outdated')
    const line = running.logLines.find((text) => text.includes('the schema is outdated'))
    assert.equal(JSON.parse(line ?? '{}').needed, newest?.name)
    await query('INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())', [newest?.name])
    await becomes(200, 'ready', 'up')
  })

  it('is refused on a database that was never migrated', async () => {
    await query('ALTER TABLE schema_migrations RENAME TO hidden')
    await becomes(503, 'schema_outdated', 'schema_outdated')
    await query('ALTER TABLE hidden RENAME TO schema_migrations')
  })

  it('is given on a schema that is newer than the code', async () => {
    await query(`INSERT INTO schema_migrations (name, run_on) VALUES ('9999_of_the_next_version', now())`)
    await becomes(200, 'ready', 'up')
    await query(`DELETE FROM schema_migrations WHERE name = '9999_of_the_next_version'`)
  })

  it('is given to a role that may not read the migrations: only the check is missing', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`
    await query(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON agents TO ${role}`)
    try {
      await query(`ALTER ROLE postgres IN DATABASE ${database} SET role = ${role}`)
      await endSessions()
      await becomes(200, 'ready', 'up')
    } finally {
      await query(`ALTER ROLE postgres IN DATABASE ${database} RESET role`)
      await endSessions()
      await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  it('is degraded while the database is read-only: agents can be read', async () => {
    await query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
    await endSessions()
    await becomes(200, 'degraded', 'read_only')
    assert.equal((await getAgent(running, person, id)).status, 200)
    assert.equal((await putAgent(running, person, id, { purpose: 'p' })).status, 503)
    await query('SET default_transaction_read_only = off')
    await query(`ALTER DATABASE ${database} RESET default_transaction_read_only`)
    await becomes(200, 'ready', 'up')
    assert.equal((await putAgent(running, person, id, { purpose: 'p' })).status, 200)
  })

  /** A setting of a database or role holds for sessions that begin after it. */
  async function endSessions() {
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'agent-console' AND datname = current_database()`,
    )
    await until('the sessions have ended', async () => {
      const open = await query(
        `SELECT FROM pg_stat_activity
        WHERE application_name = 'agent-console' AND datname = current_database()`,
      )
      return open.length === 0
    })
    // The console has seen that its idle connections have ended.
    await until('the pool is empty', async () => (await getAgent(running, person, id)).status !== 503)
  }
})
