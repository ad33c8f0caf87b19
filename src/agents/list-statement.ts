import type { AgentSort } from '../contract/list.ts'
import { readList } from './columns.ts'

/** $1 team, $2 statuses, $3 trust stages, $4 protection statuses, $5 limit, then the part of a name where one is
 * searched for, then the position behind which to go on where there is one. */

export interface ListShape {
  sort: AgentSort
  isSearch: boolean
  isContinued: boolean
}

const FILTERS =
  'a.team_id = $1 AND a.status = s.status AND a.trust_stage = t.stage AND a.protection_status = p.status'
const RUNS =
  'unnest($2::text[]) AS s (status), unnest($3::text[]) AS t (stage), unnest($4::text[]) AS p (status)'

/** The keys of a page. Without a search, every combination of the filters' values is a run of the index that is in
 * order already: the heads of the runs are merged, and nothing else is read. */
export function listStatement({ sort, isSearch, isContinued }: ListShape): string {
  const descends = sort.startsWith('-')
  const direction = descends ? 'DESC' : 'ASC'
  const beyond = descends ? '<' : '>'
  const isByName = sort.endsWith('agent_name')
  const key = isByName ? 'a.agent_name COLLATE "C", a.id' : 'a.id'
  const order = (alias: string) =>
    (isByName ? [`${alias}.agent_name COLLATE "C"`, `${alias}.id`] : [`${alias}.id`])
      .map((column) => `${column} ${direction}`)
      .join(', ')
  const first = isSearch ? 7 : 6
  const position = isByName ? `$${first}::text COLLATE "C", $${first + 1}::uuid` : `$${first}::uuid`
  const behind = isContinued ? ` AND (${key}) ${beyond} (${position})` : ''

  const keys = isSearch
    ? `
  SELECT a.id, a.agent_name FROM agents a
  WHERE a.team_id = $1 AND a.status = ANY ($2) AND a.trust_stage = ANY ($3) AND a.protection_status = ANY ($4)
    AND lower(a.agent_name) LIKE $6${behind}
  ORDER BY ${order('a')} LIMIT $5`
    : `
  SELECT run.id, run.agent_name FROM ${RUNS}
  CROSS JOIN LATERAL (
    SELECT a.id, a.agent_name FROM agents a
    WHERE ${FILTERS}${behind}
    ORDER BY ${order('a')} LIMIT $5
  ) run
  ORDER BY ${order('run')} LIMIT $5`

  return `
SELECT ${readList('a.')} FROM (${keys}
) page
JOIN agents a ON a.team_id = $1 AND a.id = page.id
ORDER BY ${order('page')}`
}

export function countStatement(isSearch: boolean): string {
  return `
SELECT count(*) AS count FROM agents a
WHERE a.team_id = $1 AND a.status = ANY ($2) AND a.trust_stage = ANY ($3) AND a.protection_status = ANY ($4)${
    isSearch ? ' AND lower(a.agent_name) LIKE $5' : ''
  }`
}
