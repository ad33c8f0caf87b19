import type { AgentRevision } from '../../contract/history.ts'
import type { Statements } from '../../platform/database/database.ts'

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
  SELECT revision, action, changed_at, changed_by,
    (SELECT name FROM users WHERE team_id = $1 AND user_id = changed_by) AS changed_by_name,
    fields, restored_revision, reason, coalesce(redacted, '{}') AS redacted
  FROM agent_revisions
  WHERE team_id = $1 AND agent_id = $2 AND revision < coalesce($3, a.revision + 1)
  ORDER BY revision DESC
  LIMIT $4
) r ON true
WHERE a.team_id = $1 AND a.id = $2
ORDER BY r.revision DESC`

/** Undefined when the team has no such agent. */
export async function findCurrentRevision(
  sql: Statements,
  teamId: string,
  id: string,
): Promise<number | undefined> {
  const [row] = await sql.read<{ revision: number }>({
    name: 'find-current-revision',
    text: 'SELECT revision FROM agents WHERE team_id = $1 AND id = $2',
    values: [teamId, id],
  })
  return row?.revision
}
