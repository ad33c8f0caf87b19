import { type AuditIds, INSERT_AUDIT_EVENT } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'

export interface Deletion extends AuditIds {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  now: number
  changedBy: string
}

/** Undefined when the team has no such agent. */
export async function deleteAgent(
  sql: Statements,
  teamId: string,
  id: string,
  { expectedRevisions, now, changedBy, eventId, requestId }: Deletion,
): Promise<'deleted' | 'stale' | undefined> {
  const [result] = await sql.write<{ outcome: 'deleted' | 'stale' }>({
    name: 'delete-agent',
    text: DELETE_AGENT,
    values: [teamId, id, expectedRevisions, now, changedBy, eventId, requestId],
  })
  return result?.outcome
}

/** The secrets are in the deleted row; ON DELETE CASCADE deletes the revisions. The outbox event and the audit event stay;
 * they contain no field values. */
const DELETE_AGENT = `
WITH locked AS MATERIALIZED (
  SELECT revision, greatest(updated_at, $4::bigint) AS changed_at,
    $3::bigint[] IS NULL OR revision = ANY ($3::bigint[]) AS revision_matches
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), deleted AS (
  DELETE FROM agents a USING locked l
  WHERE l.revision_matches AND a.team_id = $1 AND a.id = $2
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, revision + 1, $2::text || ':' || (revision + 1), 'deleted',
    json_build_object('fields', ARRAY[]::text[], 'changed_by', $5::uuid, 'changed_at', changed_at)
  FROM locked
  WHERE revision_matches
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $6, changed_at, $5, 'agent_deleted', $2, $7, json_build_object('revision', revision)
  FROM locked
  WHERE revision_matches
)
SELECT CASE WHEN revision_matches THEN 'deleted' ELSE 'stale' END AS outcome FROM locked`
