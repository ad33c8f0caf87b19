import { teamId } from './fleet.ts'

/** An agent of the largest team has so many, the others only the latest: a row for each takes long in a large fleet. */
const EVALUATIONS = 8

const METRICS = ['overall', 'reliability', 'security', 'safety'].map((name) => `${name}_score`)

/** The latest evaluation of every agent, and the earlier ones of the largest team: their scores lead up to the latest. */
export const INSERT_EVALUATIONS = `
INSERT INTO agent_evaluations (team_id, agent_id, evaluation_id, completed_at, revision, ${METRICS.join(', ')})
SELECT team_id, a.id,
  CASE number WHEN 0 THEN latest.id ELSE md5(latest.id::text || number)::uuid END,
  created_at + (completed_at - created_at) * (${EVALUATIONS} - number) / ${EVALUATIONS}, revision_of_it,
  ${METRICS.map(
    (metric) =>
      `CASE number WHEN 0 THEN ${metric} ELSE round((${metric} * (1 - number / 20.0 + (hashtext(latest.id::text || number || '${metric}') % 100) / 2000.0))::numeric, 2) END`,
  ).join(',\n  ')}
FROM agents a
CROSS JOIN LATERAL (SELECT (latest_evaluation->>'evaluation_id')::uuid AS id,
  (latest_evaluation->>'completed_at')::bigint AS completed_at, (latest_evaluation->>'revision')::bigint AS revision_of_it,
  ${METRICS.map((metric) => `(latest_evaluation->>'${metric}')::float8 AS ${metric}`).join(', ')}) latest
CROSS JOIN LATERAL generate_series(0, CASE WHEN team_id = '${teamId(0)}' THEN ${EVALUATIONS - 1} ELSE 0 END) AS number
WHERE latest_evaluation IS NOT NULL`
