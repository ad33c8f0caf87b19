import type { AgentRevision } from '../../contract/history.ts'
import type { Statements } from '../../platform/database/database.ts'
import { named, param } from '../../platform/database/sql.ts'

/** The revisions below `before`, newest first. Undefined when the team has no such agent. */
export async function listRevisions(
  sql: Statements,
  teamId: string,
  id: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<AgentRevision[] | undefined> {
  const team = param(teamId)
  const agent = param(id)
  const rows = await sql.read<AgentRevision>(named('list-revisions')`
SELECT r.*
FROM agents a
LEFT JOIN LATERAL (
  SELECT revision, action, changed_at, changed_by,
    (SELECT name FROM users WHERE team_id = ${team} AND user_id = changed_by) AS changed_by_name,
    fields, restored_revision, reason, coalesce(redacted, '{}') AS redacted
  FROM agent_revisions
  WHERE team_id = ${team} AND agent_id = ${agent} AND revision < coalesce(${before}, a.revision + 1)
  ORDER BY revision DESC
  LIMIT ${limit}
) r ON true
WHERE a.team_id = ${team} AND a.id = ${agent}
ORDER BY r.revision DESC`)
  // The statement returns a row for the agent itself, so that no row means no agent.
  return rows.length === 0 ? undefined : rows.filter(({ revision }) => revision !== null)
}

/** Undefined when the team has no such agent. */
export async function findCurrentRevision(
  sql: Statements,
  teamId: string,
  id: string,
): Promise<number | undefined> {
  const [row] = await sql.read<{ revision: number }>(named('find-current-revision')`
SELECT revision FROM agents WHERE team_id = ${teamId} AND id = ${id}`)
  return row?.revision
}
