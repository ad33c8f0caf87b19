import type { AgentRevision } from '../../contract/history.ts'
import type { Statements } from '../../platform/database.ts'
import type { AgentText } from '../change-agent.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'

/** The revisions below `before`, newest first. Undefined when the team has no such agent. */
export async function listRevisions(
  sql: Statements,
  teamId: string,
  id: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<AgentRevision[] | undefined> {
  const rows = await sql.read<AgentRevision>({
    name: 'list-revisions',
    text: LIST,
    values: [teamId, id, before, limit],
  })
  // The statement returns a row for the agent itself, so that no row means no agent.
  return rows.length === 0 ? undefined : rows.filter(({ revision }) => revision !== null)
}

const LIST = `
SELECT r.*
FROM agents a
LEFT JOIN LATERAL (
  SELECT revision, action, changed_at, changed_by, fields, restored_revision, reason
  FROM agent_revisions
  WHERE team_id = $1 AND agent_id = $2 AND revision < coalesce($3, a.revision + 1)
  ORDER BY revision DESC
  LIMIT $4
) r ON true
WHERE a.team_id = $1 AND a.id = $2
ORDER BY r.revision DESC`

export async function hasAgent(sql: Statements, teamId: string, id: string): Promise<boolean> {
  const rows = await sql.read({
    name: 'has-agent',
    text: 'SELECT FROM agents WHERE team_id = $1 AND id = $2',
    values: [teamId, id],
  })
  return rows.length > 0
}

/** An agent at one of its revisions: the current agent with all later changes undone. Undefined if the team has no
 * such agent, or the agent has no such revision. */
export async function findAgentAt(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
  includeScores: boolean,
): Promise<AgentText | undefined> {
  const [row] = await sql.read<AgentText>({
    name: includeScores ? 'find-agent-at-with-scores' : 'find-agent-at',
    text: includeScores ? FIND_AT_WITH_SCORES : FIND_AT,
    values: [teamId, id, revision],
  })
  return row
}

/** The value of a field at a revision is the value before its first later change. The cost depends on
 * the number of later changes. Only the values that are put back are read. */
const findAt = (agent: string) => `
SELECT r.revision, ${AGENT_TEXT}
FROM agents a
JOIN agent_revisions r ON r.team_id = $1 AND r.agent_id = $2 AND r.revision = $3
CROSS JOIN LATERAL json_populate_record(a, (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, changed.before -> key AS value
    FROM (
      SELECT CASE field WHEN 'api_key' THEN 'api_key_mask' ELSE field END AS key, min(revision) AS revision
      FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
      WHERE team_id = $1 AND agent_id = $2 AND revision > $3
      GROUP BY field
    ) first_change
    JOIN agent_revisions changed
      ON changed.team_id = $1 AND changed.agent_id = $2 AND changed.revision = first_change.revision
    UNION ALL
    SELECT 'updated_at', to_json(r.changed_at)
  ) old_values
)) AS past_agent, ${agent}
WHERE a.team_id = $1 AND a.id = $2`
const FIND_AT = findAt(agentSql('past_agent'))
const FIND_AT_WITH_SCORES = findAt(agentSql('past_agent', { includeScores: true }))

/** The names of the fields that changed after one revision, up to and including another. */
export async function fieldsChangedBetween(
  sql: Statements,
  teamId: string,
  id: string,
  [after, upTo]: [number, number],
): Promise<string[]> {
  const rows = await sql.read<{ field: string }>({
    name: 'fields-changed-between',
    text: `
SELECT DISTINCT unnest(fields) AS field
FROM agent_revisions
WHERE team_id = $1 AND agent_id = $2 AND revision > $3 AND revision <= $4`,
    values: [teamId, id, after, upTo],
  })
  return rows.map(({ field }) => field)
}
