import type { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import type { AgentEvaluation } from '../../contract/evaluation.ts'
import { type AuditOrigin, auditEvent } from '../../platform/database/audit-event.ts'
import type { Statements } from '../../platform/database/database.ts'
import { fragment, join, named, type Param, param, raw } from '../../platform/database/sql.ts'
import { evaluationJson } from '../columns.ts'
import { MAX_AGENT_BYTES } from '../size.ts'

interface RecordResult {
  has_revision: boolean
  is_too_large: boolean
  newest: AgentLatestEvaluation | null
}

/** How many evaluations of an agent are listed. Recording one removes older ones. */
export const MAX_EVALUATIONS = 10_000

/** Returns the latest evaluation after the record. Undefined when the team has no such agent. */
export async function recordEvaluation(
  sql: Statements,
  teamId: string,
  id: string,
  evaluation: AgentEvaluation & { completed_at: number },
  { nowSeconds, reason, origin }: { nowSeconds: number; reason: string | undefined; origin: AuditOrigin },
): Promise<RecordResult | undefined> {
  const { completed_at, revision, evaluation_id } = evaluation
  const team = param(teamId)
  const agent = param(id)
  const report = param(JSON.stringify(evaluation))
  const evaluationId = param(evaluation_id)
  const atRevision = param(revision)
  // The latest evaluation is the one with the latest `completed_at`; ties go to the higher revision, then to the one
  // reported last, which may be a correction. A correction never makes an evaluation older, so that the latest is
  // always the first of the list. Revisions have no gaps, so a revision exists if it is not greater than the current
  // one.
  const [result] = await sql.write<RecordResult>(named('record-evaluation')`
WITH locked AS MATERIALIZED (
  SELECT latest_evaluation, behaviour_revision, has_revision, is_newest, new_bytes,
    has_revision AND NOT (is_newest AND new_bytes > ${raw(MAX_AGENT_BYTES)}) AS is_accepted
  FROM (
    SELECT latest_evaluation, behaviour_revision,
      ${atRevision}::bigint <= revision AS has_revision,
      latest_evaluation IS NULL OR (${completed_at}::bigint, ${atRevision}::bigint) >= (
        (latest_evaluation ->> 'completed_at')::bigint, (latest_evaluation ->> 'revision')::bigint
      ) AS is_newest,
      bytes - coalesce(octet_length(latest_evaluation::text), 0) + octet_length(${report}::json::text) AS new_bytes
    FROM agents
    WHERE team_id = ${team} AND id = ${agent}
    FOR UPDATE
  ) agent
), stored AS (
  INSERT INTO agent_evaluations AS e (team_id, agent_id, ${COLUMN_LIST})
  SELECT ${team}, ${agent}, ${reportValues(report)} FROM locked WHERE is_accepted
  ON CONFLICT (team_id, agent_id, evaluation_id)
  DO UPDATE SET (${COLUMN_LIST}) = (${EXCLUDED})
  WHERE (excluded.completed_at, excluded.revision) >= (e.completed_at, e.revision)
  RETURNING 1
), removed AS (
  DELETE FROM agent_evaluations
  WHERE team_id = ${team} AND agent_id = ${agent} AND evaluation_id <> ${evaluationId}::uuid
    AND evaluation_id = ANY (ARRAY(
    SELECT evaluation_id FROM agent_evaluations
    WHERE team_id = ${team} AND agent_id = ${agent} AND EXISTS (SELECT FROM stored)
    ORDER BY completed_at DESC, revision DESC, evaluation_id DESC
    OFFSET ${raw(MAX_EVALUATIONS - 1)}
    LIMIT 100
  ))
), recorded AS (
  UPDATE agents a SET latest_evaluation = ${report}::json, bytes = l.new_bytes
  FROM locked l
  WHERE l.is_accepted AND l.is_newest AND a.team_id = ${team} AND a.id = ${agent}
  RETURNING a.latest_evaluation, a.behaviour_revision
), audited AS (
  ${auditEvent(origin, {
    team,
    at: nowSeconds,
    action: 'agent_evaluation_recorded',
    agent,
    detail: JSON.stringify({ revision, evaluation_id, reason }),
  })} FROM stored
)
SELECT true AS has_revision, false AS is_too_large, ${raw(evaluationJson('recorded'))} AS newest FROM recorded
UNION ALL
SELECT has_revision, is_newest AND new_bytes > ${raw(MAX_AGENT_BYTES)}, ${raw(evaluationJson('locked'))} FROM locked
WHERE NOT EXISTS (SELECT FROM recorded)`)
  return result
}

const SCORE_COLUMNS = ['overall_score', 'reliability_score', 'security_score', 'safety_score']

const COLUMNS = ['evaluation_id', 'completed_at', 'revision', ...SCORE_COLUMNS]

const COLUMN_LIST = raw(COLUMNS.join(', '))
const EXCLUDED = raw(COLUMNS.map((name) => `excluded.${name}`).join(', '))

/** The values of these columns in a report, which is JSON. */
const reportValues = (report: Param) => fragment`
    (${report}::json ->> 'evaluation_id')::uuid,
    (${report}::json ->> 'completed_at')::bigint,
    (${report}::json ->> 'revision')::bigint,
    ${join(
      SCORE_COLUMNS.map((name) => fragment`(${report}::json ->> '${raw(name)}')::float8`),
      ', ',
    )}`
