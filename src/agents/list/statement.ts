import type { AgentSort } from '../../contract/list.ts'
import { AGENT_TEXT, agentOf } from '../columns.ts'

/** The statements of a list. $1 team, $2 statuses, $3 trust stages, $4 protection statuses, $5 limit, then the pattern of
 * a search, then the position of a cursor, each only if the request has one. */

export interface ListShape {
  sort: AgentSort
  /** How names are searched; undefined without a search. */
  search: 'walk' | 'look_up' | undefined
  isContinued: boolean
  includeScores: boolean
}

/** A page ends before it is larger than this, which blocks the event loop for up to 100 ms. No agent is as large, so every
 * page has at least one. */
const PAGE_BYTES = 4 * 1024 * 1024

const RUNS =
  'unnest($2::text[]) AS s (status), unnest($3::text[]) AS t (stage), unnest($4::text[]) AS p (status)'
const MATCHES =
  'status = ANY ($2) AND trust_stage = ANY ($3) AND protection_status = ANY ($4) AND lower(agent_name) LIKE lower($6::text)'

export function listStatement({ sort, search, isContinued, includeScores }: ListShape): string {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const beyond = sort.startsWith('-') ? '<' : '>'
  const keys = sort.endsWith('agent_name') ? ['agent_name COLLATE "C"', 'id'] : ['id']
  const order = keys.map((key) => `${key} ${direction}`).join(', ')
  const first = search === undefined ? 6 : 7
  const position = keys.length === 2 ? `$${first}::text COLLATE "C", $${first + 1}::uuid` : `$${first}::uuid`
  const behind = isContinued ? ` AND (${keys.join(', ')}) ${beyond} (${position})` : ''
  const page = {
    // The index holds the agents of each combination of filter values in order. The statement reads the first agents of
    // each combination and merges them.
    merge: `
  SELECT run.id, run.agent_name FROM ${RUNS}
  CROSS JOIN LATERAL (
    SELECT id, agent_name FROM agents a
    WHERE team_id = $1 AND a.status = s.status AND trust_stage = t.stage AND protection_status = p.status${behind}
    ORDER BY ${order} LIMIT $5
  ) run
  ORDER BY ${order} LIMIT $5`,
    // Many names match: read agents in order until the page is full. OFFSET 0 stops the planner from using the filters to
    // choose another index.
    walk: `
  SELECT id, agent_name FROM (
    SELECT id, agent_name, status, trust_stage, protection_status FROM agents
    WHERE team_id = $1${behind}
    ORDER BY ${order} OFFSET 0
  ) walked
  WHERE ${MATCHES} LIMIT $5`,
    // Few names match: use the trigram index or the filters, whichever leaves fewer agents, and sort them.
    look_up: `
  SELECT id, agent_name FROM agents
  WHERE team_id = $1 AND ${MATCHES}${behind}
  ORDER BY ${order} LIMIT $5`,
  }[search ?? 'merge']

  // Agents beyond PAGE_BYTES are cut off by the column `bytes`, before a large value is read. The window has the order of
  // the page, so that nothing is sorted again.
  return `
SELECT picked.id, picked.agent_name, picked.revision, ${AGENT_TEXT}, has_next FROM (
  SELECT a.*, ${keys.map((key, n) => `page.${key} AS key_${n}`).join(', ')},
    sum(a.bytes) OVER in_order AS bytes_so_far, lead(a.id) OVER in_order IS NOT NULL AS has_next
  FROM (${page}
  ) page
  JOIN agents a ON a.team_id = $1 AND a.id = page.id
  WINDOW in_order AS (ORDER BY ${keys.map((key) => `page.${key} ${direction}`).join(', ')})
) picked, ${agentOf('picked', { includeScores })}
WHERE bytes_so_far <= ${PAGE_BYTES}
ORDER BY ${keys.map((_, n) => `key_${n} ${direction}`).join(', ')}`
}

/** The share of matches among the $5 oldest and the $5 newest agents of a team. */
export const SAMPLE = `
SELECT coalesce(avg((${MATCHES})::integer), 0)::float AS share FROM (
  (SELECT status, trust_stage, protection_status, agent_name FROM agents WHERE team_id = $1 ORDER BY id LIMIT $5)
  UNION ALL
  (SELECT status, trust_stage, protection_status, agent_name FROM agents WHERE team_id = $1 ORDER BY id DESC LIMIT $5)
) sample`

export function countStatement(isSearch: boolean): string {
  return `
SELECT count(*) AS count FROM agents a
WHERE a.team_id = $1 AND a.status = ANY ($2) AND a.trust_stage = ANY ($3) AND a.protection_status = ANY ($4)${
    isSearch ? ' AND lower(a.agent_name) LIKE lower($5::text)' : ''
  }`
}
