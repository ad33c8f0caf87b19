import { type AuditTrace, INTO_AUDIT } from '../platform/audit.ts'
import type { Sql } from '../platform/database.ts'
import { readList } from './columns.ts'
import type { AgentRow } from './store.ts'

export interface StageChange extends AuditTrace {
  /** The revisions of which the agent must have one, or null for any. */
  expectedRevisions: number[] | null
  now: number
  changedBy: string
  trustStage: string
  isTrusted: boolean
  reason: string | null
}

type StageResult = AgentRow & { outcome: 'moved' | 'unchanged' | 'stale' }

/** Undefined when the team has no such agent. */
export async function moveTrustStage(
  sql: Sql,
  teamId: string,
  id: string,
  change: StageChange,
): Promise<StageResult | undefined> {
  const { expectedRevisions, now, changedBy, trustStage, isTrusted, reason, eventId, requestId } = change
  const [result] = await sql.write<StageResult>({
    name: 'move-trust-stage',
    text: MOVE,
    values: [
      teamId,
      id,
      expectedRevisions,
      now,
      changedBy,
      trustStage,
      isTrusted,
      reason,
      eventId,
      requestId,
    ],
  })
  return result
}

/** As an update: lock, compare, set, and leave the revision and its event, all in one statement. Trust is earned
 * once: when and how fast is set by the first arrival and kept by every later move.
 *
 * $1 team, $2 agent, $3 expected revisions or null, $4 now, $5 who, $6 stage, $7 whether it means trust, $8 why,
 * $9 and $10 the audit record's own id and the request's. */
const MOVE = `
WITH locked AS MATERIALIZED (
  SELECT ${readList()},
    $3::bigint[] IS NULL OR revision = ANY ($3::bigint[]) AS revision_matches,
    $7::boolean AND trusted_at IS NULL AS earns_trust,
    greatest(updated_at, $4::bigint) AS changed_at
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), change AS (
  SELECT *,
    ARRAY['trust_stage'] || CASE WHEN earns_trust THEN ARRAY['trusted_at', 'ttt_days'] END AS fields
  FROM locked
  WHERE revision_matches AND trust_stage <> $6::text
), moved AS (
  UPDATE agents a SET
    revision = a.revision + 1,
    updated_at = c.changed_at,
    trust_stage = $6,
    trusted_at = CASE WHEN c.earns_trust THEN c.changed_at ELSE a.trusted_at END,
    ttt_days = CASE
      WHEN c.earns_trust THEN round((c.changed_at - a.created_at) / 86400.0, 2)
      ELSE a.ttt_days
    END
  FROM change c
  WHERE a.team_id = $1 AND a.id = $2
  RETURNING ${readList('a.')}
), revised AS (
  INSERT INTO agent_revisions
    (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, reason)
  SELECT $1, $2, c.revision + 1, c.changed_at, $5, 'trust_stage_changed', c.fields,
    CASE
      WHEN c.earns_trust
        THEN json_build_object('trust_stage', c.trust_stage, 'trusted_at', NULL, 'ttt_days', NULL)
      ELSE json_build_object('trust_stage', c.trust_stage)
    END, $8
  FROM change c
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, c.revision + 1, $2::text || ':' || (c.revision + 1), 'trust_stage_changed',
    json_build_object('fields', c.fields, 'changed_by', $5::uuid, 'changed_at', c.changed_at)
  FROM change c
), traced AS (
  ${INTO_AUDIT}
  SELECT $1, $9, c.changed_at, $5, 'agent_trust_stage_changed', $2, $10,
    json_build_object('revision', c.revision + 1, 'fields', c.fields)
  FROM change c
)
SELECT 'moved' AS outcome, ${readList()} FROM moved
UNION ALL
SELECT CASE WHEN revision_matches THEN 'unchanged' ELSE 'stale' END, ${readList()}
FROM locked
WHERE NOT EXISTS (SELECT FROM change)`

export interface Erasure extends AuditTrace {
  /** The revisions of which the agent must have one, or null for any. */
  expectedRevisions: number[] | null
  now: number
  changedBy: string
}

/** Undefined when the team has no such agent. */
export async function eraseAgent(
  sql: Sql,
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

/** The secrets go with the row, the revisions by their foreign key. What remains is the event and the
 * audit record, which say that the agent is gone and nothing of what it was. */
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
  ${INTO_AUDIT}
  SELECT $1, $6, changed_at, $5, 'agent_deleted', $2, $7, json_build_object('revision', revision)
  FROM locked
  WHERE revision_matches
)
SELECT CASE WHEN revision_matches THEN 'erased' ELSE 'stale' END AS outcome FROM locked`
