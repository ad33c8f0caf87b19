import { type AuditTrace, INTO_AUDIT } from '../platform/audit.ts'
import type { Sql } from '../platform/database.ts'
import type { AgentRow, StoredEvaluation } from './store.ts'

type RecordResult = Pick<AgentRow, 'latest_evaluation' | 'behaviour_revision'> & { has_revision: boolean }

/** Answers the evaluation that is stored now. Undefined when the team has no such agent. */
export async function recordEvaluation(
  sql: Sql,
  teamId: string,
  id: string,
  evaluation: StoredEvaluation,
  by: AuditTrace & { userId: string; now: number },
): Promise<RecordResult | undefined> {
  const { completed_at, revision } = evaluation
  const [result] = await sql.write<RecordResult>({
    name: 'record-evaluation',
    text: RECORD,
    values: [
      teamId,
      id,
      JSON.stringify(evaluation),
      completed_at,
      revision,
      by.userId,
      by.now,
      by.eventId,
      by.requestId,
      evaluation.evaluation_id,
    ],
  })
  return result
}

/** Reports may come late and in any order: the newest evaluation stays. Of two completed in the same second it is
 * the one of the newer revision, and of two of the same revision the one reported last, which may correct the
 * other. Revisions have no gaps, so the agent has every one up to its own. */
const RECORD = `
WITH locked AS MATERIALIZED (
  SELECT latest_evaluation, behaviour_revision,
    $5::bigint <= revision AS has_revision,
    latest_evaluation IS NULL OR ($4::bigint, $5::bigint) >= (
      (latest_evaluation ->> 'completed_at')::bigint, (latest_evaluation ->> 'revision')::bigint
    ) AS is_newest
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), recorded AS (
  UPDATE agents a SET latest_evaluation = $3::json
  FROM locked l
  WHERE l.has_revision AND l.is_newest AND a.team_id = $1 AND a.id = $2
  RETURNING a.latest_evaluation, a.behaviour_revision
), traced AS (
  ${INTO_AUDIT}
  SELECT $1, $8, $7, $6, 'agent_evaluation_recorded', $2, $9,
    json_build_object('revision', $5::bigint, 'evaluation_id', $10::uuid)
  FROM recorded
)
SELECT true AS has_revision, latest_evaluation, behaviour_revision FROM recorded
UNION ALL
SELECT has_revision, latest_evaluation, behaviour_revision FROM locked
WHERE NOT EXISTS (SELECT FROM recorded)`
