import type { AgentSort } from '../../contract/list.ts'
import { AGENT_TEXT, agentOf } from '../columns.ts'

/** The statements of a list. $1 team, $2 statuses, $3 trust stages, $4 protection statuses, $5 limit, then the part
 * of a name where one is searched for, then the position behind which to go on where there is one. */

export interface ListShape {
  sort: AgentSort
  /** How a part of a name is searched for; undefined where none is. */
  search: 'walk' | 'look_up' | undefined
  isContinued: boolean
  includeScores: boolean
}

/** A page ends early at this size: sending it blocks the process for up to a tenth of a second. Every agent is smaller,
 * so each page has at least one. */
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
    // Every combination of the filters' values is a run of the index that is in order already: the heads of the runs
    // are merged, and nothing else is read.
    merge: `
  SELECT run.id, run.agent_name FROM ${RUNS}
  CROSS JOIN LATERAL (
    SELECT id, agent_name FROM agents a
    WHERE team_id = $1 AND a.status = s.status AND trust_stage = t.stage AND protection_status = p.status${behind}
    ORDER BY ${order} LIMIT $5
  ) run
  ORDER BY ${order} LIMIT $5`,
    // Many match: in the order of the sort, until the page is full. OFFSET 0 keeps the filters out of the walk.
    walk: `
  SELECT id, agent_name FROM (
    SELECT id, agent_name, status, trust_stage, protection_status FROM agents
    WHERE team_id = $1${behind}
    ORDER BY ${order} OFFSET 0
  ) walked
  WHERE ${MATCHES} LIMIT $5`,
    // Few match: by the parts of names or by the filters, whichever leaves fewer, and then in order.
    look_up: `
  SELECT id, agent_name FROM agents
  WHERE team_id = $1 AND ${MATCHES}${behind}
  ORDER BY ${order} LIMIT $5`,
  }[search ?? 'merge']

  // What lies behind the page's last byte is left where it is: a large value is not even read. Ordered by what the page
  // is in order of already, so that nothing is sorted again. PostgreSQL writes the agents: the process would take
  // three times as long to read their columns and write them again.
  return `
SELECT picked.id, picked.agent_name, ${AGENT_TEXT}, has_next FROM (
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

/** Of some of the oldest and some of the newest agents of a team, which share matches. $5 is how many of each. */
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
