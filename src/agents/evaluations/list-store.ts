import type { EvaluationSeries, Metric, RecordedEvaluation } from '../../contract/evaluation.ts'
import { MAX_SERIES_POINTS } from '../../contract/evaluation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { join, named, param, raw } from '../../platform/database/sql.ts'
import { BEHAVIOUR_COLUMNS } from '../columns.ts'

/** The place of an evaluation in the list. */
export type Position = [completedAt: number, revision: number, evaluationId: string]

const BEFORE_ALL: Position = [
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

/** The evaluations after a position, the last completed one first. Undefined when the team has no such agent. */
export async function listEvaluations(
  sql: Statements,
  teamId: string,
  id: string,
  { after = BEFORE_ALL, limit }: { after: Position | undefined; limit: number },
): Promise<RecordedEvaluation[] | undefined> {
  const team = param(teamId)
  const agent = param(id)
  // `changes`: the last revision that changed each field of behaviour, up to the last change of any of them.
  const rows = await sql.read<RecordedEvaluation>(named('list-evaluations')`
WITH page AS MATERIALIZED (
  SELECT a.behaviour_revision, e.*
  FROM agents a
  LEFT JOIN LATERAL (
    SELECT evaluation_id, completed_at, revision, overall_score, reliability_score, security_score, safety_score
    FROM agent_evaluations
    WHERE team_id = ${team} AND agent_id = ${agent}
      AND (completed_at, revision, evaluation_id) < (${join(after, ', ')})
    ORDER BY completed_at DESC, revision DESC, evaluation_id DESC
    LIMIT ${limit}
  ) e ON true
  WHERE a.team_id = ${team} AND a.id = ${agent}
), changes AS MATERIALIZED (
  SELECT field, max(r.revision) AS revision
  FROM agent_revisions r CROSS JOIN LATERAL unnest(fields) AS field
  WHERE team_id = ${team} AND agent_id = ${agent}
    AND r.revision > (SELECT greatest(min(revision), min(behaviour_revision) - ${raw(MAX_SEARCHED)}) FROM page)
    AND r.revision <= (SELECT min(behaviour_revision) FROM page)
    AND field = ANY (${BEHAVIOUR_COLUMNS}::text[])
  GROUP BY field
)
SELECT evaluation_id, completed_at, revision, overall_score, reliability_score, security_score, safety_score,
  revision >= behaviour_revision AS current,
  ARRAY(SELECT field FROM changes c WHERE c.revision > page.revision ORDER BY field) AS outdated_by
FROM page
ORDER BY completed_at DESC, revision DESC, evaluation_id DESC`)
  // The statement returns a row for the agent itself, so that no row means no agent.
  return rows.length === 0 ? undefined : rows.filter((row) => row.evaluation_id !== null)
}

/** So many revisions are searched for the fields that outdated an evaluation: a history can have millions. */
const MAX_SEARCHED = 1_000

/** Undefined when the team has no such agent. */
export async function readSeries(
  sql: Statements,
  teamId: string,
  id: string,
  { metric, since }: { metric: Metric; since: number },
): Promise<Pick<EvaluationSeries, 'count' | 'points'> | undefined> {
  const team = param(teamId)
  const agent = param(id)
  const value = raw(metric)
  const [row] = await sql.read<Pick<EvaluationSeries, 'count' | 'points'>>(named(`read-series-of-${metric}`)`
WITH all_points AS MATERIALIZED (
  SELECT evaluation_id, completed_at, revision, ${value} AS value,
    row_number() OVER (ORDER BY completed_at, revision, evaluation_id) AS number, count(*) OVER () AS count,
    width_bucket(completed_at::float8, min(completed_at) OVER (), max(completed_at) OVER () + 1, ${raw(SPANS)}) AS span
  FROM agent_evaluations
  WHERE team_id = ${team} AND agent_id = ${agent} AND completed_at >= ${since} AND ${value} IS NOT NULL
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY span ORDER BY value, number) AS from_lowest,
    row_number() OVER (PARTITION BY span ORDER BY value DESC, number) AS from_highest
  FROM all_points
)
SELECT coalesce((SELECT count FROM all_points LIMIT 1), 0) AS count, coalesce((
  SELECT json_agg(json_build_object(
    'evaluation_id', evaluation_id, 'completed_at', completed_at, 'revision', revision, 'value', value
  ) ORDER BY number)
  FROM ranked
  WHERE count <= ${raw(MAX_SERIES_POINTS)} OR number IN (1, count) OR from_lowest = 1 OR from_highest = 1
), '[]') AS points
FROM agents WHERE team_id = ${team} AND id = ${agent}`)
  return row
}

/** Two points of each span, the first point and the last one. */
const SPANS = (MAX_SERIES_POINTS - 2) / 2
