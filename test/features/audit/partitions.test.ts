import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { expireAuditPartitions, extendAuditPartitions } from '../../../src/features/audit/queries.ts'
import type { Statements } from '../../../src/platform/postgres/database.ts'
import { addAuditEvents, ageAudit, auditPartitions } from '../../support/audit-months.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { allGrants } from '../../support/grants.ts'

const TEAM = '00000000-0000-4000-8000-000000000000'

/** The name of the partition of a month, counted from the current one. */
const partition = (offset: number) => {
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset))
  return `audit_events_${month.toISOString().slice(0, 7).replace('-', '_')}`
}
const nowSeconds = () => Date.now() / 1_000
const MONTH_SECONDS = 31 * 86_400

describe('the partitions of the audit log', () => {
  let database: TestDatabase
  let sql: Statements
  let monthsAhead: number
  beforeEach(async (t) => {
    const created = await createTestDatabase()
    database = created
    const send: Statements['read'] = ({ text, values }) => created.query(text, values) as never
    sql = { read: send, write: send }
    assert.ok('after' in t)
    t.after(() => created.drop())
  })
  const extend = (statements: Statements, now: number) =>
    extendAuditPartitions(statements, now, (months) => (monthsAhead = months))
  const expire = (months: number) => (statements: Statements, now: number) =>
    expireAuditPartitions(statements, now, months)
  const runAll = async (step: (sql: Statements, now: number) => Promise<boolean>, now = nowSeconds()) => {
    let runs = 1
    while (await step(sql, now)) runs += 1
    return runs
  }
  const count = async (table: string) =>
    (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? 0

  it('reach a year ahead from the start', async () => {
    const expected = ['audit_events_first', ...Array.from({ length: 12 }, (_, n) => partition(n + 1))]
    assert.deepEqual(await auditPartitions(database), expected.toSorted())
    assert.equal(await runAll(extend), 1)
    assert.equal(monthsAhead, 12)
    assert.equal((await auditPartitions(database)).length, 13)
  })

  it('are continued without a gap, one in a run, also after the last one has begun', async () => {
    const later = nowSeconds() + 15 * MONTH_SECONDS
    await extend(sql, later)
    assert.ok(monthsAhead < 0, `${monthsAhead}`)
    await runAll(extend, later)
    assert.equal(monthsAhead, 12)
    const names = await auditPartitions(database)
    assert.deepEqual(
      names.toSorted(),
      [
        'audit_events_first',
        ...Array.from({ length: names.length - 1 }, (_, n) => partition(n + 1)),
      ].toSorted(),
    )
    await addAuditEvents(database, {
      team: TEAM,
      count: 1_000,
      days: 830,
      before: "now() + interval '2 years'",
    })
  })

  it('are kept for ever unless a retention is set', async () => {
    await ageAudit(database, 4)
    const before = await auditPartitions(database)
    assert.equal(await runAll(expire(0)), 1)
    assert.deepEqual(await auditPartitions(database), before)
  })

  it('are dropped when all their records are older than the retention, the first one too', async () => {
    await ageAudit(database, 4)
    await addAuditEvents(database, { team: TEAM, count: 2_000, days: 400 })
    const counts = await Promise.all([0, 1, 2].map((n) => count(partition(-n))))
    await runAll(expire(2))
    const names = await auditPartitions(database)
    assert.deepEqual(names.slice(0, 3), [partition(-2), partition(-1), partition(0)])
    assert.equal(
      await count('audit_events'),
      counts.reduce((sum, n) => sum + n),
    )
    const tables = await database.query(
      "SELECT FROM pg_class WHERE relname LIKE 'expired%' AND relkind = 'r'",
    )
    assert.equal(tables.length, 0)
  })

  it('that an operator detached are not dropped', async () => {
    await ageAudit(database, 4)
    await database.query(`ALTER TABLE audit_events DETACH PARTITION ${partition(-4)}`)
    await runAll(expire(1))
    assert.equal(await count(partition(-4)), 0)
  })

  it('are not detached while a lock is not free: a write waits for 100 ms at most', async () => {
    await ageAudit(database, 4)
    const reader = new Client({ connectionString: database.url })
    await reader.connect()
    await reader.query('BEGIN; LOCK TABLE ONLY audit_events IN ACCESS SHARE MODE')
    const before = await auditPartitions(database)
    await assert.rejects(expire(1)(sql, nowSeconds()), /lock timeout/)
    assert.deepEqual(await auditPartitions(database), before)
    // Adding a month waits for no reader and no writer.
    await reader.query(
      `INSERT INTO audit_events (team_id, id, at, user_id, action, request_id, detail)
       VALUES ($1, first_id_at(now()), 0, $1, 'a', 'r', '{}')`.replaceAll('$1', `'${TEAM}'`),
    )
    await database.query(`SELECT create_audit_partition('2099-01-01')`)
    await reader.query('ROLLBACK')
    assert.equal(await expire(1)(sql, nowSeconds()), true)
    // A lock on the old partition alone: the lock on the whole table is not even requested.
    await reader.query(`BEGIN; SELECT FROM ${partition(-4)}`)
    await assert.rejects(expire(1)(sql, nowSeconds()), /could not obtain lock/)
    await reader.end()
    const timeouts = await database.query(
      `SELECT FROM pg_proc WHERE proname ~ 'audit_partition' AND proconfig @> '{lock_timeout=100ms}'`,
    )
    assert.equal(timeouts.length, 3)
  })

  it('are maintained by the documented role, which can remove no recent records and change none', async () => {
    await ageAudit(database, 4)
    const role = `console_role_${process.pid}`
    await database.query(`CREATE ROLE ${role}; ${allGrants(role)}`)
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query(`SET ROLE ${role}`)
      const send: Statements['read'] = async ({ text, values }) =>
        (await client.query(text, values)).rows as never
      sql = { read: send, write: send }
      await runAll(expire(1))
      await runAll(extend, nowSeconds() + MONTH_SECONDS)
      const thisMonth = "date_trunc('month', now() AT TIME ZONE 'UTC')::date"
      await assert.rejects(client.query(`SELECT expire_audit_partition(${thisMonth})`), /are kept/)
      // A temporary table does not take the place of the real one.
      await client.query('CREATE TEMPORARY TABLE audit_events (id uuid)')
      await client.query(`SELECT create_audit_partition('2098-01-01')`)
      await client.query('DROP TABLE pg_temp.audit_events')
      assert.ok((await auditPartitions(database)).includes('audit_events_2098_01'))
      for (const statement of [
        'DELETE FROM audit_events',
        `DELETE FROM ${partition(0)}`,
        `DROP TABLE ${partition(0)}`,
        `ALTER TABLE audit_events DETACH PARTITION ${partition(0)}`,
      ])
        await assert.rejects(client.query(statement), { code: '42501' }, statement)
    } finally {
      await client.end()
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  it('are for the owner and whom it allows only', async () => {
    const open = await database.query(
      `SELECT FROM pg_proc WHERE prosecdef AND has_function_privilege('pg_monitor', oid, 'EXECUTE')`,
    )
    assert.equal(open.length, 0)
  })
})
