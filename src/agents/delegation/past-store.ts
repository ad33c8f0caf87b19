import type { Statements } from '../../platform/database/database.ts'

/** The revision that an agent had at some time. */
export interface PastRevision {
  id: string
  revision: number
  /** The last revision up to now that changed how the agent behaves. */
  behaviour_revision: number
}

/** The last revision of each agent up to a time. Agents that did not exist then, or were deleted, are missing. */
export async function findRevisionsAt(
  sql: Statements,
  teamId: string,
  ids: string[],
  time: number,
): Promise<PastRevision[]> {
  if (ids.length === 0) return []
  return sql.read({ name: 'find-revisions-at', text: FIND_REVISIONS, values: [teamId, ids, time] })
}

/** Searches by halving: the revisions of an agent have no gap, and their times never decrease. A million revisions take 20
 * steps. */
const FIND_REVISIONS = `
WITH RECURSIVE search (id, low, high) AS (
  SELECT id, CASE WHEN updated_at <= $3::bigint THEN revision ELSE 1 END, revision
  FROM agents
  WHERE team_id = $1 AND id = ANY ($2::uuid[])
  UNION ALL
  SELECT s.id, CASE WHEN r.changed_at <= $3 THEN r.revision ELSE s.low END,
    CASE WHEN r.changed_at <= $3 THEN s.high ELSE r.revision - 1 END
  FROM search s
  CROSS JOIN LATERAL (
    SELECT revision, changed_at FROM agent_revisions
    WHERE team_id = $1 AND agent_id = s.id AND revision = (s.low + s.high + 1) / 2
    LIMIT 1
  ) r
  WHERE s.low < s.high
)
SELECT s.id, r.revision, a.behaviour_revision
FROM search s
CROSS JOIN LATERAL (
  SELECT revision, changed_at, action FROM agent_revisions
  WHERE team_id = $1 AND agent_id = s.id AND revision = s.low
  LIMIT 1
) r
JOIN agents a ON a.team_id = $1 AND a.id = s.id
WHERE s.low = s.high AND r.changed_at <= $3 AND r.action <> 'deleted'`

/** A revision of an agent and its time. Undefined if the team has no such agent, or the agent has no such revision. */
export async function findMomentOf(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<(PastRevision & { changed_at: number }) | undefined> {
  const [row] = await sql.read<PastRevision & { changed_at: number }>({
    name: 'find-moment-of-revision',
    text: `
SELECT a.id, r.revision, a.behaviour_revision, r.changed_at
FROM agents a JOIN agent_revisions r ON r.team_id = $1 AND r.agent_id = $2 AND r.revision = $3
WHERE a.team_id = $1 AND a.id = $2`,
    values: [teamId, id, revision],
  })
  return row
}

/** The agents that had each address at a time, at most eleven. Some may not have existed, because a deleted agent keeps its
 * addresses. */
export async function findPastCandidates(
  sql: Statements,
  teamId: string,
  keys: string[],
  time: number,
): Promise<Map<string, string[]>> {
  if (keys.length === 0) return new Map()
  const rows = await sql.read<{ key: string; ids: string[] }>({
    name: 'find-past-candidates',
    text: FIND_CANDIDATES,
    values: [teamId, keys, time],
  })
  return new Map(rows.map(({ key, ids }) => [key, ids]))
}

const FIND_CANDIDATES = `
SELECT given.key, ARRAY(
  SELECT x.agent_id FROM agent_addresses x
  WHERE x.team_id = $1 AND x.key = given.key::bytea AND x.since_at <= $3::bigint
    AND (x.until_at IS NULL OR x.until_at > $3)
    AND EXISTS (SELECT FROM agents a WHERE a.team_id = $1 AND a.id = x.agent_id)
  ORDER BY x.agent_id
  LIMIT 11
) AS ids
FROM unnest($2::text[]) AS given (key)`
