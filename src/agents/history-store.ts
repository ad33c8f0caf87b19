import type { Sql } from '../platform/database.ts'
import { readList } from './columns.ts'
import type { AgentRow } from './store.ts'

/** A change of an agent, without the values it replaced. */
export interface RevisionRow {
  revision: number
  action: string
  changed_at: number
  changed_by: string
  fields: string[]
  restored_revision: number | null
  reason: string | null
}

/** The revisions below `before`, newest first. Undefined when the team has no such agent. */
export async function listRevisions(
  sql: Sql,
  teamId: string,
  id: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<RevisionRow[] | undefined> {
  const rows = await sql.read<RevisionRow & { is_agent: boolean }>({
    name: 'list-revisions',
    text: LIST,
    values: [teamId, id, before, limit],
  })
  // The agent itself is a row, so that one without older revisions is told from one that is not there.
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

/** An agent at one of its revisions: what it is now, with what has changed since put back. Undefined when the
 * team has no such agent, or the agent no such revision. */
export async function findAgentAt(
  sql: Sql,
  teamId: string,
  id: string,
  revision: number,
): Promise<AgentRow | undefined> {
  const [row] = await sql.read<AgentRow & { undone: Partial<AgentRow> | null; changed_at: number }>({
    name: 'find-agent-at',
    text: FIND_AT,
    values: [teamId, id, revision],
  })
  if (!row) return undefined
  const { undone, changed_at, ...now } = row
  return { ...now, ...undone, revision, updated_at: changed_at }
}

/** Of each field, the value before the first change that came later is the value it had. Costs what has changed
 * since, and nothing for what has not; of the values only those that are put back are read. */
const FIND_AT = `
SELECT ${readList('a.')}, r.changed_at, (
  SELECT json_object_agg(key, was.before -> key)
  FROM (
    SELECT CASE field WHEN 'api_key' THEN 'api_key_mask' ELSE field END AS key, min(revision) AS revision
    FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
    WHERE team_id = $1 AND agent_id = $2 AND revision > $3
    GROUP BY field
  ) first_change
  JOIN agent_revisions was ON was.team_id = $1 AND was.agent_id = $2 AND was.revision = first_change.revision
) AS undone
FROM agents a
JOIN agent_revisions r ON r.team_id = $1 AND r.agent_id = $2 AND r.revision = $3
WHERE a.team_id = $1 AND a.id = $2`

/** The names of the fields that changed behind one revision and up to another. */
export async function fieldsChangedBetween(
  sql: Sql,
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
