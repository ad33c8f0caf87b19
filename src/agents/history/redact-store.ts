import { REDACTABLE_REASON } from '../../contract/history.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/database/audit-sql.ts'
import type { Statements } from '../../platform/database/database.ts'

/** The current revision of the agent, and whether it has the given one. Undefined if the team has no such agent. */
export async function findRevision(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<{ current: number; exists: boolean } | undefined> {
  const [row] = await sql.read<{ current: number; exists: boolean }>({
    name: 'find-revision',
    text: 'SELECT revision AS current, revision >= $3 AS exists FROM agents WHERE team_id = $1 AND id = $2',
    values: [teamId, id, revision],
  })
  return row
}

/** For each of the fields, the first or the last revision of a range that changed it. */
export async function findChanges(
  sql: Statements,
  teamId: string,
  id: string,
  { from, to, fields, which }: { from: number; to: number; fields: string[]; which: 'first' | 'last' },
): Promise<{ field: string; revision: number }[]> {
  return sql.read({
    name: `find-${which}-changes`,
    text: `
SELECT field, ${which === 'first' ? 'min' : 'max'}(revision) AS revision
FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
WHERE team_id = $1 AND agent_id = $2 AND revision BETWEEN $3 AND $4 AND field = ANY ($5::text[])
GROUP BY field`,
    values: [teamId, id, from, to, fields],
  })
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
  await sql.write({
    name: 'redact-revisions',
    text: REDACT_REVISIONS,
    values: [
      ...[teamId, id, storedIn.map((each) => each.revision), fields, JSON.stringify(placeholders)],
      ...[now, JSON.stringify(auditDetail), ...originParameters(origin)],
    ],
  })
}

const REDACT_REVISIONS = `
WITH redacted AS (
  UPDATE agent_revisions r SET
    before = (
      SELECT json_object_agg(key, CASE WHEN key = ANY (given.fields) THEN $5::json -> key ELSE value END)
      FROM json_each(r.before)
    ),
    redacted = ARRAY(SELECT unnest(r.redacted) UNION SELECT unnest(given.fields) ORDER BY 1)
  FROM (
    SELECT revision, array_agg(field) AS fields FROM unnest($3::bigint[], $4::text[]) AS t (revision, field)
    GROUP BY revision
  ) given
  WHERE r.team_id = $1 AND r.agent_id = $2 AND r.revision = given.revision
), forgotten_addresses AS (
  DELETE FROM agent_addresses x USING unnest($3::bigint[], $4::text[]) AS given (revision, field)
  WHERE given.field = CASE WHEN x.is_card THEN 'import_metadata' ELSE 'agent_url' END
    AND x.team_id = $1 AND x.agent_id = $2 AND x.until_revision = given.revision
)
${INSERT_AUDIT_EVENT}
SELECT $1, $9, $6, $8, 'agent_revision_redacted', $2, $10, $11, $12, $7`

/** Removes the reason of a revision, also from an event that is not delivered yet. */
export async function redactReason(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<void> {
  await sql.write({ name: 'redact-reason', text: REDACT_REASON, values: [teamId, id, revision] })
}

const REDACT_REASON = `
WITH redacted_event AS (
  UPDATE outbox SET payload = (SELECT json_object_agg(key, value) FROM json_each(payload) WHERE key <> 'reason')
  WHERE team_id = $1 AND aggregateid = $2 AND revision = $3
)
UPDATE agent_revisions
SET reason = NULL, redacted = ARRAY(SELECT unnest(redacted) UNION SELECT '${REDACTABLE_REASON}' ORDER BY 1)
WHERE team_id = $1 AND agent_id = $2 AND revision = $3`

/** Removes the value of a field from the snapshots of these revisions. Passes over those that have it no longer. */
export async function redactSnapshots(
  sql: Statements,
  { teamId, id, placeholders }: Pick<Redaction, 'teamId' | 'id' | 'placeholders'>,
  field: string,
  revisions: number[],
): Promise<void> {
  await sql.write({
    name: 'redact-snapshots',
    text: REDACT_SNAPSHOTS,
    values: [teamId, id, revisions, field, JSON.stringify(placeholders[field])],
  })
}

const REDACT_SNAPSHOTS = `
UPDATE agent_revisions SET snapshot = (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, CASE key WHEN $4 THEN $5::json ELSE value END AS value
    FROM json_each(snapshot)
    WHERE key <> 'redacted'
    UNION ALL
    SELECT 'redacted', to_json(array_agg(name))
    FROM (SELECT json_array_elements_text(snapshot -> 'redacted') AS name UNION SELECT $4) names
  ) members
)
WHERE team_id = $1 AND agent_id = $2 AND revision = ANY ($3::bigint[])
  AND $4 NOT IN (SELECT json_array_elements_text(snapshot -> 'redacted'))`
