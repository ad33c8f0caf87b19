import { type AuditIds, INSERT_AUDIT_EVENT } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'

export interface Erasure extends AuditIds {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  now: number
  changedBy: string
}

/** Undefined when the team has no such agent. */
export async function eraseAgent(
  sql: Statements,
  teamId: string,
  id: string,
  { expectedRevisions, now, changedBy, eventId, requestId }: Erasure,
): Promise<'erased' | 'stale' | undefined> {
  const [result] = await sql.write<{ outcome: 'erased' | 'stale' }>({
    name: 'erase-agent',
    text: ERASE,
    values: [teamId, id, expectedRevisions, now, changedBy, eventId, requestId],
  })
  return result?.outcome
}

/** Deletes the secrets with the row and the revisions by their foreign key. The event and the audit record remain; they
 * hold no value of the agent. */
const ERASE = `
WITH locked AS MATERIALIZED (
  SELECT revision, greatest(updated_at, $4::bigint) AS changed_at,
    $3::bigint[] IS NULL OR revision = ANY ($3::bigint[]) AS revision_matches
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), erased AS (
  DELETE FROM agents a USING locked l
  WHERE l.revision_matches AND a.team_id = $1 AND a.id = $2
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, revision + 1, $2::text || ':' || (revision + 1), 'deleted',
    json_build_object('fields', ARRAY[]::text[], 'changed_by', $5::uuid, 'changed_at', changed_at)
  FROM locked
  WHERE revision_matches
), traced AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $6, changed_at, $5, 'agent_deleted', $2, $7, json_build_object('revision', revision)
  FROM locked
  WHERE revision_matches
)
SELECT CASE WHEN revision_matches THEN 'erased' ELSE 'stale' END AS outcome FROM locked`
