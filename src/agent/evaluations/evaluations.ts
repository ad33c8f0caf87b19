import type { Caller } from '../../api/caller.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../api/pages.ts'
import { Problem, RequestValidationError, valueError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { fragment, join, named, type Param, param, raw } from '../../platform/postgres/sql.ts'
import { auditEvent, auditOrigin } from '../audit-event.ts'
import { evaluationJson, MAX_AGENT_BYTES } from '../columns.ts'
import { BEHAVIOUR_FIELDS } from '../fields.ts'
import {
  type AgentEvaluation,
  type AgentLatestEvaluation,
  type EvaluationSeries,
  MAX_SERIES_POINTS,
  type Metric,
  type RecordedEvaluation,
  type RecordedEvaluationPage,
} from './schema.ts'

interface RecordResult {
  has_revision: boolean
  is_too_large: boolean
  newest: AgentLatestEvaluation | null
}

/** How many evaluations of an agent are listed. Recording one removes older ones. */
export const MAX_EVALUATIONS = 10_000

/** Allows for clocks that differ. A time further in the future is a mistake (often milliseconds), and no newer
 * evaluation would replace it. */
const DAY_SECONDS = 86_400

/** Returns the newest evaluation: this one, unless a newer one is stored. */
export async function recordEvaluation(
  { database, now, newId }: Core,
  caller: Caller,
  id: string,
  given: AgentEvaluation & { current?: unknown },
): Promise<AgentLatestEvaluation> {
  // `current` is computed at every read and never stored.
  const { current: _, ...evaluation } = given
  const { revision, evaluation_id } = evaluation
  const nowSeconds = Math.floor(now() / 1_000)
  const completedAt = evaluation.completed_at ?? nowSeconds
  if (completedAt > nowSeconds + DAY_SECONDS) {
    throw invalid('completed_at', 'completed_at must be Unix time in seconds, at most one day in the future')
  }
  const team = param(caller.teamId)
  const agent = param(id)
  const report = param(JSON.stringify({ ...evaluation, completed_at: completedAt }))
  const evaluationId = param(evaluation_id)
  const atRevision = param(revision)
  // The latest evaluation is the one with the latest `completed_at`; ties go to the higher revision, then to the one
  // reported last, which may be a correction. A correction never makes an evaluation older, so that the latest is
  // always the first of the list. Revisions have no gaps, so a revision exists if it is not greater than the current
  // one.
  const [result] = await database.of(caller.teamId).write<RecordResult>(named('record-evaluation')`
WITH locked AS MATERIALIZED (
  SELECT latest_evaluation, behaviour_revision, has_revision, is_newest, new_bytes,
    has_revision AND NOT (is_newest AND new_bytes > ${raw(MAX_AGENT_BYTES)}) AS is_accepted
  FROM (
    SELECT latest_evaluation, behaviour_revision,
      ${atRevision}::bigint <= revision AS has_revision,
      latest_evaluation IS NULL OR (${completedAt}::bigint, ${atRevision}::bigint) >= (
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
  ${auditEvent(auditOrigin(caller, newId()), {
    team,
    at: nowSeconds,
    action: 'agent_evaluation_recorded',
    agent,
    detail: JSON.stringify({ revision, evaluation_id, reason: caller.reason }),
  })} FROM stored
)
SELECT true AS has_revision, false AS is_too_large, ${raw(evaluationJson('recorded'))} AS newest FROM recorded
UNION ALL
SELECT has_revision, is_newest AND new_bytes > ${raw(MAX_AGENT_BYTES)}, ${raw(evaluationJson('locked'))} FROM locked
WHERE NOT EXISTS (SELECT FROM recorded)`)
  if (!result) throw new Problem('agent_not_found')
  if (!result.has_revision) throw invalid('revision', 'the agent has no such revision')
  if (result.is_too_large || !result.newest) throw new Problem('agent_too_large')
  return result.newest
}

function invalid(field: keyof AgentEvaluation, reason: string): RequestValidationError {
  return new RequestValidationError([valueError(['body', field], reason)])
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

/** The place of an evaluation in the list. */
type Position = [completedAt: number, revision: number, evaluationId: string]

const BEFORE_ALL: Position = [
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

const isPosition = ([completedAt, revision, evaluationId, ...rest]: unknown[]) =>
  [completedAt, revision].every(Number.isSafeInteger) && isCanonicalUuid(evaluationId) && rest.length === 0

/** The last completed evaluation first. */
export async function listEvaluations(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  { limit = 100, cursor }: { limit?: number; cursor?: string },
): Promise<RecordedEvaluationPage> {
  const filters = ['evaluations', id]
  const after = decodeCursor(filters, cursor, isPosition) ?? BEFORE_ALL
  const team = param(teamId)
  const agent = param(id)
  // `changes`: the last revision that changed each field of behaviour, up to the last change of any of them.
  const rows = await database.of(teamId).read<RecordedEvaluation>(named('list-evaluations')`
WITH page AS MATERIALIZED (
  SELECT a.behaviour_revision, e.*
  FROM agents a
  LEFT JOIN LATERAL (
    SELECT evaluation_id, completed_at, revision, overall_score, reliability_score, security_score, safety_score
    FROM agent_evaluations
    WHERE team_id = ${team} AND agent_id = ${agent}
      AND (completed_at, revision, evaluation_id) < (${join(after, ', ')})
    ORDER BY completed_at DESC, revision DESC, evaluation_id DESC
    LIMIT ${limit + 1}
  ) e ON true
  WHERE a.team_id = ${team} AND a.id = ${agent}
), changes AS MATERIALIZED (
  SELECT field, max(r.revision) AS revision
  FROM agent_revisions r CROSS JOIN LATERAL unnest(fields) AS field
  WHERE team_id = ${team} AND agent_id = ${agent}
    AND r.revision > (SELECT greatest(min(revision), min(behaviour_revision) - ${raw(MAX_SEARCHED)}) FROM page)
    AND r.revision <= (SELECT min(behaviour_revision) FROM page)
    AND field = ANY (${BEHAVIOUR_FIELDS}::text[])
  GROUP BY field
)
SELECT evaluation_id, completed_at, revision, overall_score, reliability_score, security_score, safety_score,
  revision >= behaviour_revision AS current,
  ARRAY(SELECT field FROM changes c WHERE c.revision > page.revision ORDER BY field) AS outdated_by
FROM page
ORDER BY completed_at DESC, revision DESC, evaluation_id DESC`)
  // The statement returns a row for the agent itself, so that no row means no agent.
  if (rows.length === 0) throw new Problem('agent_not_found')
  const evaluations = rows.filter((row) => row.evaluation_id !== null)
  return toPage(evaluations, limit, filters, (last) => [last.completed_at, last.revision, last.evaluation_id])
}

/** So many revisions are searched for the fields that outdated an evaluation: a history can have millions. */
const MAX_SEARCHED = 1_000

/** For a chart. It reads all evaluations of the agent. */
export async function readEvaluationSeries(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  { metric = 'overall_score', since = 0 }: { metric?: Metric; since?: number },
): Promise<EvaluationSeries> {
  const team = param(teamId)
  const agent = param(id)
  const value = raw(metric)
  const sql = database.searches.of(teamId)
  const [series] = await sql.read<Omit<EvaluationSeries, 'metric'>>(named(`read-series-of-${metric}`)`
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
  if (!series) throw new Problem('agent_not_found')
  return { metric, ...series }
}

/** Two points of each span, the first point and the last one. */
const SPANS = (MAX_SERIES_POINTS - 2) / 2
