import type { Client } from 'pg'
import { verifyAudit } from '../../src/audit/seals/verify.ts'
import type { Statements } from '../../src/platform/database/database.ts'
import { MIGRATIONS } from '../../src/platform/database/schema.ts'
import { ok, problem, type Result, skipped } from '../doctor/finding.ts'
import { migrate } from '../migrate.ts'
import type { DrillOptions } from './options.ts'

/** Migrates an older schema, as after a real restore. */
export async function checkSchema(client: Client, url: string): Promise<Result> {
  const { rows: tables } = await client.query("SELECT to_regclass('schema_migrations') AS name")
  if (tables[0]?.name === null)
    return problem('The database has no tables of the console.', 'Name another one by --database.')
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
  const applied = rows.map(({ name }) => name)
  const missing = MIGRATIONS.filter((name) => !applied.includes(name))
  const newest = applied.at(-1) ?? 'none'
  if (missing.length === 0) return ok(`schema ${newest}`)
  await migrate(url, () => {})
  return ok(`schema ${newest}, migrated to ${MIGRATIONS.at(-1)}`)
}

export async function checkCounts(client: Client): Promise<Result> {
  const { rows } = await client.query<Record<string, string>>(COUNTS)
  const counts = Object.entries(rows[0] ?? {}).map(([what, count]) => `${count} ${what}`)
  if (rows[0]?.['agents'] !== '0') return ok(counts.join(', '))
  return problem('The restored database has no agents.', 'Check --stanza and --database.')
}

const COUNTS = `
SELECT
  (SELECT count(*) FROM agents)::text AS agents,
  (SELECT count(*) FROM deleted_agents)::text AS deleted,
  (SELECT count(*) FROM agent_revisions)::text AS revisions,
  (SELECT count(*) FROM audit_events)::text AS "audit events",
  (SELECT count(*) FROM outbox)::text AS "events to deliver"`

const INT8 = 20

/** Compares the audit log with its seals, as of the restored time: what came after it cannot be sealed. */
export async function checkAudit(
  client: Client,
  { auditKeys, auditRetentionMonths }: Pick<DrillOptions, 'auditKeys' | 'auditRetentionMonths'>,
  restoredMs: number,
): Promise<Result> {
  if (!auditKeys) return skipped('needs AUDIT_SIGNING_KEY or --keys')
  client.setTypeParser(INT8, Number)
  const send: Statements['read'] = async ({ text, values }) =>
    (await client.query(text, values)).rows as never
  const { findings, findingCount, records, seals, lastSeal } = await verifyAudit(
    { read: send, write: send },
    { keys: auditKeys, retentionMonths: auditRetentionMonths, nowMs: restoredMs },
  )
  if (findingCount === 0 && lastSeal === undefined)
    return problem(
      'The audit log has no seal, so changes of its records cannot be detected.',
      'Set AUDIT_SIGNING_KEY for a console with MAINTENANCE=on. If it had seals, they were removed.',
    )
  if (findingCount === 0) return ok(`${records} records agree with ${seals} seals`)
  return problem(
    `The audit log contradicts its seals in ${findingCount} places. ${findings[0]}`,
    'Compare with production: npm run audit:verify. What differs was changed in the backup.',
  )
}
