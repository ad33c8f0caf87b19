import type { TestDatabase } from './database.ts'

/** The statements of a database whose baseline is so many months old: the first partition ends then, and each month since has
 * one of its own. */
export async function ageAudit(database: TestDatabase, months: number): Promise<void> {
  await database.query('ALTER TABLE audit_events DETACH PARTITION audit_events_first')
  await database.query(
    `DO $$ BEGIN EXECUTE format(
       'ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)',
       first_id_at(date_trunc('month', now(), 'UTC') - interval '${months} months'));
     END $$`,
  )
  await database.query(
    `SELECT create_audit_partition((date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => n))::date)
     FROM generate_series(0, $1) n`,
    [months],
  )
}

export interface AuditEvents {
  team: string
  /** Each event is of an agent of its own if absent. */
  agent?: string
  count: number
  days: number
  before?: string
}

/** Adds audit events of a team, evenly spread over the days before a time given in SQL. */
export async function addAuditEvents(
  database: TestDatabase,
  { team, agent, count, days, before = 'now()' }: AuditEvents,
): Promise<void> {
  await database.query(
    `INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)
     SELECT $1, overlay(first_id_at(at)::text PLACING substr(gen_random_uuid()::text, 15) FROM 15)::uuid,
       extract(epoch FROM at), $1, 'agent_updated', coalesce($4, gen_random_uuid()), 'r', '{"revision": 2, "fields": ["purpose"]}'
     FROM (SELECT ${before} - make_interval(secs => n * $3::float8 * 86400.0 / $2) AS at FROM generate_series(1, $2) n) times`,
    [team, count, days, agent],
  )
}

export async function auditPartitions(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ relname: string }>(
    `SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
     WHERE inhparent = 'audit_events'::regclass ORDER BY relname`,
  )
  return rows.map(({ relname }) => relname)
}
