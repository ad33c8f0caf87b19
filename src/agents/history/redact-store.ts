import { REDACTABLE_REASON } from '../../contract/history.ts'
import { type AuditOrigin, auditEvent } from '../../platform/database/audit-event.ts'
import type { Statements } from '../../platform/database/database.ts'
import { named, param, raw } from '../../platform/database/sql.ts'

/** For each of the fields, the first or the last revision of a range that changed it. */
export async function findChanges(
  sql: Statements,
  teamId: string,
  id: string,
  { from, to, fields, which }: { from: number; to: number; fields: string[]; which: 'first' | 'last' },
): Promise<{ field: string; revision: number }[]> {
  return sql.read(named(`find-${which}-changes`)`
SELECT field, ${raw(which === 'first' ? 'min' : 'max')}(revision) AS revision
FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
WHERE team_id = ${teamId} AND agent_id = ${id} AND revision BETWEEN ${from} AND ${to}
  AND field = ANY (${fields}::text[])
GROUP BY field`)
}

export interface Redaction {
  teamId: string
  id: string
  /** Each field, with the revision that stores its value as the one before the change. */
  storedIn: { field: string; revision: number }[]
  /** What stands in place of each value. */
  placeholders: Record<string, unknown>
  now: number
  origin: AuditOrigin
  /** What the audit event says. */
  auditDetail: object
}

/** Removes the values from the revisions that replaced them, and writes the audit event. */
export async function redactRevisions(sql: Statements, redaction: Redaction): Promise<void> {
  const { teamId, id, storedIn, placeholders, now, origin, auditDetail } = redaction
  const fields = storedIn.map(({ field }) => field)
  const team = param(teamId)
  const agent = param(id)
  await sql.write(named('redact-revisions')`
WITH redacted AS (
  UPDATE agent_revisions r SET
    before = (
      SELECT json_object_agg(
        key, CASE WHEN key = ANY (given.fields) THEN ${JSON.stringify(placeholders)}::json -> key ELSE value END
      )
      FROM json_each(r.before)
    ),
    redacted = ARRAY(SELECT unnest(r.redacted) UNION SELECT unnest(given.fields) ORDER BY 1)
  FROM (
    SELECT revision, array_agg(field) AS fields
    FROM unnest(${storedIn.map((each) => each.revision)}::bigint[], ${fields}::text[]) AS t (revision, field)
    GROUP BY revision
  ) given
  WHERE r.team_id = ${team} AND r.agent_id = ${agent} AND r.revision = given.revision
)
${auditEvent(origin, {
  team,
  at: now,
  action: 'agent_revision_redacted',
  agent,
  detail: JSON.stringify(auditDetail),
})}`)
}

/** Removes the reason of a revision, also from an event that is not delivered yet. */
export async function redactReason(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<void> {
  const team = param(teamId)
  const agent = param(id)
  const atRevision = param(revision)
  await sql.write(named('redact-reason')`
WITH redacted_event AS (
  UPDATE outbox SET payload = (SELECT json_object_agg(key, value) FROM json_each(payload) WHERE key <> 'reason')
  WHERE team_id = ${team} AND aggregateid = ${agent} AND revision = ${atRevision}
)
UPDATE agent_revisions
SET reason = NULL, redacted = ARRAY(SELECT unnest(redacted) UNION SELECT '${raw(REDACTABLE_REASON)}' ORDER BY 1)
WHERE team_id = ${team} AND agent_id = ${agent} AND revision = ${atRevision}`)
}

/** Removes the value of a field from the snapshots of these revisions. Passes over those that have it no longer. */
export async function redactSnapshots(
  sql: Statements,
  { teamId, id, placeholders }: Pick<Redaction, 'teamId' | 'id' | 'placeholders'>,
  field: string,
  revisions: number[],
): Promise<void> {
  const ofField = param(field)
  await sql.write(named('redact-snapshots')`
UPDATE agent_revisions SET snapshot = (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, CASE key WHEN ${ofField} THEN ${JSON.stringify(placeholders[field])}::json ELSE value END AS value
    FROM json_each(snapshot)
    WHERE key <> 'redacted'
    UNION ALL
    SELECT 'redacted', to_json(array_agg(name))
    FROM (SELECT json_array_elements_text(snapshot -> 'redacted') AS name UNION SELECT ${ofField}) names
  ) members
)
WHERE team_id = ${teamId} AND agent_id = ${id} AND revision = ANY (${revisions}::bigint[])
  AND ${ofField} NOT IN (SELECT json_array_elements_text(snapshot -> 'redacted'))`)
}
