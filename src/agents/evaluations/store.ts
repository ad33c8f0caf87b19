import type { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import type { AgentEvaluation } from '../../contract/evaluation.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/database/audit-sql.ts'
import type { Statements } from '../../platform/database/database.ts'
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
  const [result] = await sql.write<RecordResult>({
    name: 'record-evaluation',
    text: RECORD,
    values: [
      teamId,
      id,
      JSON.stringify(evaluation),
      completed_at,
      revision,
      nowSeconds,
      JSON.stringify({ revision, evaluation_id, reason }),
      ...originParameters(origin),
      evaluation_id,
    ],
  })
  return result
}

const SCORE_COLUMNS = ['overall_score', 'reliability_score', 'security_score', 'safety_score']

const COLUMNS = ['evaluation_id', 'completed_at', 'revision', ...SCORE_COLUMNS]

/** The columns of a report that is JSON. */
const columnsOf = (report: string) =>
  [
    `(${report} ->> 'evaluation_id')::uuid`,
    ...['completed_at', 'revision'].map((name) => `(${report} ->> '${name}')::bigint`),
    ...SCORE_COLUMNS.map((name) => `(${report} ->> '${name}')::float8`),
  ].join(', ')

/** The latest evaluation is the one with the latest `completed_at`; ties go to the higher revision, then to the one reported
 * last, which may be a correction. A correction never makes an evaluation older, so that the latest is always the first of
 * the list. Revisions have no gaps, so a revision exists if it is not greater than the current one.
 * `kept`: an evaluation from before the list existed is only with the agent. */
const RECORD = `
WITH locked AS MATERIALIZED (
  SELECT latest_evaluation, behaviour_revision, has_revision, is_newest, new_bytes,
    has_revision AND NOT (is_newest AND new_bytes > ${MAX_AGENT_BYTES}) AS is_accepted
  FROM (
    SELECT latest_evaluation, behaviour_revision,
      $5::bigint <= revision AS has_revision,
      latest_evaluation IS NULL OR ($4::bigint, $5::bigint) >= (
        (latest_evaluation ->> 'completed_at')::bigint, (latest_evaluation ->> 'revision')::bigint
      ) AS is_newest,
      bytes - coalesce(octet_length(latest_evaluation::text), 0) + octet_length($3::json::text) AS new_bytes
    FROM agents
    WHERE team_id = $1 AND id = $2
    FOR UPDATE
  ) agent
), stored AS (
  INSERT INTO agent_evaluations AS e (team_id, agent_id, ${COLUMNS.join(', ')})
  SELECT $1, $2, ${columnsOf('$3::json')} FROM locked WHERE is_accepted
  ON CONFLICT (team_id, agent_id, evaluation_id)
  DO UPDATE SET (${COLUMNS.join(', ')}) = (${COLUMNS.map((name) => `excluded.${name}`).join(', ')})
  WHERE (excluded.completed_at, excluded.revision) >= (e.completed_at, e.revision)
  RETURNING 1
), kept AS (
  INSERT INTO agent_evaluations (team_id, agent_id, ${COLUMNS.join(', ')})
  SELECT $1, $2, ${columnsOf('latest_evaluation')} FROM locked
  WHERE is_accepted AND (latest_evaluation ->> 'evaluation_id')::uuid <> $13::uuid
  ON CONFLICT DO NOTHING
), removed AS (
  DELETE FROM agent_evaluations
  WHERE team_id = $1 AND agent_id = $2 AND evaluation_id <> $13::uuid AND evaluation_id = ANY (ARRAY(
    SELECT evaluation_id FROM agent_evaluations
    WHERE team_id = $1 AND agent_id = $2 AND EXISTS (SELECT FROM stored)
    ORDER BY completed_at DESC, revision DESC, evaluation_id DESC
    OFFSET ${MAX_EVALUATIONS - 1}
    LIMIT 100
  ))
), recorded AS (
  UPDATE agents a SET latest_evaluation = $3::json, bytes = l.new_bytes
  FROM locked l
  WHERE l.is_accepted AND l.is_newest AND a.team_id = $1 AND a.id = $2
  RETURNING a.latest_evaluation, a.behaviour_revision
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $9, $6, $8, 'agent_evaluation_recorded', $2, $10, $11, $12, $7::json FROM stored
)
SELECT true AS has_revision, false AS is_too_large, ${evaluationJson('recorded')} AS newest FROM recorded
UNION ALL
SELECT has_revision, is_newest AND new_bytes > ${MAX_AGENT_BYTES}, ${evaluationJson('locked')} FROM locked
WHERE NOT EXISTS (SELECT FROM recorded)`
