// The statements of the list. $1 team, $2 statuses, $3 trust stages, $4 protection statuses, $5 limit, then the search
// pattern if there is one, then the position of the cursor if there is one.

import type { AgentSort } from '../../contract/list.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'

export interface ListShape {
  sort: AgentSort
  /** How to search by name. Undefined: no search. */
  search: 'scan' | 'lookup' | undefined
  isContinued: boolean
  includeScores: boolean
}

/** Maximum size of a page. Sending a larger one would block the event loop for too long. It must exceed MAX_AGENT_BYTES:
 * every page needs room for one agent. */
const PAGE_BYTES = 4 * 1024 * 1024

const COMBINATIONS =
  'unnest($2::text[]) AS s (status), unnest($3::text[]) AS t (stage), unnest($4::text[]) AS p (status)'
const MATCHES =
  'status = ANY ($2) AND trust_stage = ANY ($3) AND protection_status = ANY ($4) AND lower(agent_name) LIKE lower($6::text)'

export function listStatement({ sort, search, isContinued, includeScores }: ListShape): string {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const comparison = sort.startsWith('-') ? '<' : '>'
  const keys = sort.endsWith('agent_name') ? ['agent_name COLLATE "C"', 'id'] : ['id']
  const order = keys.map((key) => `${key} ${direction}`).join(', ')
  const parameter = search === undefined ? 6 : 7
  const position =
    keys.length === 2 ? `$${parameter}::text COLLATE "C", $${parameter + 1}::uuid` : `$${parameter}::uuid`
  const afterCursor = isContinued ? ` AND (${keys.join(', ')}) ${comparison} (${position})` : ''
  const page = {
    // For each combination of filter values, the index is already sorted. The statement merges the first rows of each
    // combination.
    merge: `
  SELECT first_rows.id, first_rows.agent_name FROM ${COMBINATIONS}
  CROSS JOIN LATERAL (
    SELECT id, agent_name FROM agents a
    WHERE team_id = $1 AND a.status = s.status AND trust_stage = t.stage AND protection_status = p.status${afterCursor}
    ORDER BY ${order} LIMIT $5
  ) first_rows
  ORDER BY ${order} LIMIT $5`,
    // Many agents match: scan in sort order until the page is full. OFFSET 0 stops the planner from pushing the filters
    // into the scan.
    scan: `
  SELECT id, agent_name FROM (
    SELECT id, agent_name, status, trust_stage, protection_status FROM agents
    WHERE team_id = $1${afterCursor}
    ORDER BY ${order} OFFSET 0
  ) scanned
  WHERE ${MATCHES} LIMIT $5`,
    // Few agents match: use the trigram index or the filter index, then sort.
    lookup: `
  SELECT id, agent_name FROM agents
  WHERE team_id = $1 AND ${MATCHES}${afterCursor}
  ORDER BY ${order} LIMIT $5`,
  }[search ?? 'merge']

  // Only `bytes` is summed, so the large columns of agents that do not fit into the page are never read. Ordering the
  // window by the sort keys of the page avoids a second sort.
  return `
SELECT picked.id, picked.agent_name, picked.revision, ${AGENT_TEXT}, has_next FROM (
  SELECT a.*, ${keys.map((key, n) => `page.${key} AS key_${n}`).join(', ')},
    sum(a.bytes) OVER in_order AS bytes_so_far, lead(a.id) OVER in_order IS NOT NULL AS has_next
  FROM (${page}
  ) page
  JOIN agents a ON a.team_id = $1 AND a.id = page.id
  WINDOW in_order AS (ORDER BY ${keys.map((key) => `page.${key} ${direction}`).join(', ')})
) picked, ${agentSql('picked', { includeScores })}
WHERE bytes_so_far <= ${PAGE_BYTES}
ORDER BY ${keys.map((_, n) => `key_${n} ${direction}`).join(', ')}`
}

/** The share of matching agents among the $5 oldest and the $5 newest of the team. */
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
