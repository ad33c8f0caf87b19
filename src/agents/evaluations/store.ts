import type { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import type { AgentEvaluation } from '../../contract/evaluation.ts'
import { type AuditIds, INSERT_AUDIT_EVENT } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'
import { evaluationJson } from '../columns.ts'
import { MAX_AGENT_BYTES } from '../size.ts'

interface RecordResult {
  has_revision: boolean
  is_too_large: boolean
  newest: AgentLatestEvaluation | null
}

/** Returns the evaluation that is stored now. Undefined when the team has no such agent. */
export async function recordEvaluation(
  sql: Statements,
  teamId: string,
  id: string,
  evaluation: AgentEvaluation & { completed_at: number },
  by: AuditIds & { userId: string; nowSeconds: number },
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
      by.nowSeconds,
      by.eventId,
      by.requestId,
      evaluation.evaluation_id,
    ],
  })
  return result
}

/** Keeps the evaluation with the latest `completed_at`; ties go to the higher revision, then to the one reported last,
 * which may be a correction. Revisions have no gaps, so a revision exists if it is not greater than the current one. */
const RECORD = `
WITH locked AS MATERIALIZED (
  SELECT latest_evaluation, behaviour_revision,
    $5::bigint <= revision AS has_revision,
    latest_evaluation IS NULL OR ($4::bigint, $5::bigint) >= (
      (latest_evaluation ->> 'completed_at')::bigint, (latest_evaluation ->> 'revision')::bigint
    ) AS is_newest,
    bytes - coalesce(octet_length(latest_evaluation::text), 0) + octet_length($3::json::text) AS new_bytes
  FROM agents
  WHERE team_id = $1 AND id = $2
  FOR UPDATE
), recorded AS (
  UPDATE agents a SET latest_evaluation = $3::json, bytes = l.new_bytes
  FROM locked l
  WHERE l.has_revision AND l.is_newest AND l.new_bytes <= ${MAX_AGENT_BYTES} AND a.team_id = $1 AND a.id = $2
  RETURNING a.latest_evaluation, a.behaviour_revision
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $8, $7, $6, 'agent_evaluation_recorded', $2, $9,
    json_build_object('revision', $5::bigint, 'evaluation_id', $10::uuid)
  FROM recorded
)
SELECT true AS has_revision, false AS is_too_large, ${evaluationJson('recorded')} AS newest FROM recorded
UNION ALL
SELECT has_revision, is_newest AND new_bytes > ${MAX_AGENT_BYTES}, ${evaluationJson('locked')} FROM locked
WHERE NOT EXISTS (SELECT FROM recorded)`
