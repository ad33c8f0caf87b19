import { AGENT_TEXT, type AgentShape, agentSql } from '../../agent/columns.ts'
import { Agent } from '../../agent/schema.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import {
  EMPTY,
  type Fragment,
  fragment,
  join,
  type Param,
  param,
  raw,
  type Statement,
  unnamed,
} from '../../platform/postgres/sql.ts'
import type { AgentFiltersQuery, AgentSort } from './schema.ts'

export interface PageRequest {
  sort: AgentSort
  /** Maximum number of agents. */
  limit: number
  /** The sort key of the last agent of the previous page. */
  position: (string | number)[] | undefined
  shape: AgentShape
}

/** `text` is the agent as JSON, ready for the response. */
export interface ListedAgent {
  id: string
  /** The value of the field that the list is sorted by. */
  sort_key: string
  revision: number
  text: string
}

export interface ListedPage {
  agents: ListedAgent[]
  /** Whether more agents follow. */
  hasNext: boolean
}

export async function findAgents(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  request: PageRequest,
): Promise<ListedPage> {
  const rows = await sql.read<ListedAgent & { has_next: boolean }>(pageStatement(teamId, filters, request))
  const agents = rows.slice(0, request.limit)
  return { agents, hasNext: agents.at(-1)?.has_next === true }
}

export async function countAgents(sql: Statements, teamId: string, filters: AgentFilters): Promise<number> {
  const [row] = await sql.read<{ count: number }>(countStatement(teamId, filters))
  return row?.count ?? 0
}

export function countStatement(teamId: string, filters: AgentFilters): Statement {
  return unnamed`SELECT count(*) AS count FROM agent_filters WHERE ${matching(param(teamId), filters)}`
}

/** Maximum size of a page. A page takes about three times as much memory while it is made. It must exceed
 * MAX_AGENT_BYTES: every page needs room for one agent. */
const PAGE_BYTES = 2 * 1024 * 1024

/** The columns that a page is sorted by, with their types. The last one is the id. */
const ORDERS: Record<string, [column: string, type: string][]> = {
  created_at: [['id', 'uuid']],
  agent_name: [
    ['name', 'text'],
    ['id', 'uuid'],
  ],
  score: [
    ['score', 'double precision'],
    ['id', 'uuid'],
  ],
}

/** Finds the ids of the page in `agent_filters`, then reads these agents. PostgreSQL either walks the index of the
 * order until the page is full, or reads the rows of the team and sorts those that match. The statement has no name,
 * so that it is planned for its own values: a plan for all values would open every partition, and sort the whole team
 * for each page. */
export function pageStatement(teamId: string, filters: AgentFilters, request: PageRequest): Statement {
  const { sort, limit, position, shape } = request
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const order = ORDERS[sort.replace('-', '')] ?? []
  const keys = order.map(([column]) => column)
  const inOrder = (prefix: string) => raw(keys.map((key) => `${prefix}${key} ${direction}`).join(', '))
  const team = param(teamId)
  const keyList = raw(keys.join(', '))
  const comparison = raw(direction === 'DESC' ? '<' : '>')
  const last =
    position &&
    join(
      order.map(([, type], n) => fragment`${position[n]}::${raw(type)}`),
      ', ',
    )
  // Only `bytes` is summed, so the large columns of agents that do not fit into the page are never read.
  return unnamed`
SELECT picked.id, picked.sort_key, picked.revision, ${AGENT_TEXT}, picked.has_next FROM (
  SELECT a.*, page.${raw(keys[0] ?? 'id')}::text AS sort_key, row_number() OVER in_order AS place,
    sum(${raw(bytesSql(shape))}) OVER in_order AS bytes_so_far, lead(a.id) OVER in_order IS NOT NULL AS has_next
  FROM (
    SELECT ${keyList} FROM agent_filters
    WHERE ${matching(team, filters)} ${last ? fragment`AND (${keyList}) ${comparison} (${last})` : EMPTY}
    ORDER BY ${inOrder('')}
    -- One more than the page has: it says whether there is another page.
    LIMIT ${limit + 1}
  ) page
  JOIN agents a ON a.team_id = ${team} AND a.id = page.id
  WINDOW in_order AS (ORDER BY ${inOrder('page.')})
) picked, ${agentSql('picked', shape)}
WHERE bytes_so_far <= ${raw(PAGE_BYTES)}
ORDER BY place`
}

/** The condition that a row of `agent_filters` belongs to the team and matches. */
function matching(team: Param, filters: AgentFilters): Fragment {
  return join([fragment`team_id = ${team}`, ...conditionsOf(filters).values()], ' AND ')
}

/** With few fields, an agent counts at most as much as the longest values that these fields can have. */
function bytesSql({ fields, includeScores }: AgentShape): string {
  const limits = (includeScores ? [UNLIMITED] : (fields ?? [UNLIMITED])).map(maxBytesOf)
  const limit = limits.reduce((sum, bytes) => sum + bytes, 0)
  return Number.isFinite(limit) ? `least(a.bytes, ${limit})` : 'a.bytes'
}

const UNLIMITED = 'latest_evaluation'

/** A character takes six bytes in JSON at most. Numbers, times and ids take fewer than 100. */
function maxBytesOf(field: string): number {
  const { type, maxLength } = Agent.properties[field as keyof Agent] as { type?: unknown; maxLength?: number }
  const types = [type ?? 'object'].flat()
  if (types.includes('object') || types.includes('array')) return Number.POSITIVE_INFINITY
  return maxLength === undefined ? 100 : 6 * maxLength
}

/** The filters that name values, and the columns of `agent_filters` that they compare. */
export const FILTER_COLUMNS = {
  statuses: 'status',
  trust_stages: 'trust_stage',
  protection_statuses: 'protection_status',
  access_levels: 'access_level',
  protocols: 'protocol',
  evaluation: 'evaluation',
  model_names: 'model_name',
  hubs: 'hub',
  tags: 'tags',
} as const

type ValueFilter = keyof typeof FILTER_COLUMNS
export type FilterName = ValueFilter | 'min_score' | 'q'

const VALUE_FILTERS = Object.keys(FILTER_COLUMNS) as ValueFilter[]
const FILTER_NAMES: readonly FilterName[] = [...VALUE_FILTERS, 'min_score', 'q']

/** Which agents of a team a request is about. A filter that is undefined matches every agent, but that of the
 * statuses: archived agents match only if the request names that status. */
export interface AgentFilters extends Record<ValueFilter, readonly string[] | undefined> {
  min_score: number | undefined
  /** Part of a name. */
  q: string | undefined
}

/** Removes duplicate values and sorts them, so that equal filters accept the same cursor. */
export function readFilters(query: AgentFiltersQuery): AgentFilters {
  const values = VALUE_FILTERS.map((name) => {
    const given: readonly string[] = query[name] ?? []
    return [name, given.length > 0 ? [...new Set(given)].toSorted() : undefined]
  })
  return {
    ...Object.fromEntries(values),
    min_score: query.min_score,
    q: query.q === '' ? undefined : query.q,
  }
}

/** The conditions of some filters on a row of `agent_filters`, by the names of the filters. */
export function conditionsOf(
  filters: AgentFilters,
  names: readonly FilterName[] = FILTER_NAMES,
): Map<FilterName, Fragment> {
  const conditions = new Map<FilterName, Fragment>()
  for (const name of names) {
    const condition = conditionOf(name, filters)
    if (condition) conditions.set(name, condition)
  }
  return conditions
}

function conditionOf(name: FilterName, filters: AgentFilters): Fragment | undefined {
  const wanted = filters[name]
  if (wanted === undefined) return name === 'statuses' ? raw(`status <> 'archived'`) : undefined
  if (name === 'min_score') return fragment`score >= ${param(wanted)}::double precision`
  if (name === 'q') return fragment`search_name LIKE lower(${param(searchPattern(String(wanted)))}::text)`
  const operator = raw(name === 'tags' ? '&&' : '= ANY')
  return fragment`${raw(FILTER_COLUMNS[name])} ${operator} (${param(wanted)}::text[])`
}

/** Escapes `%` and `_`, the wildcards of LIKE. PostgreSQL converts both names and pattern to lower case, because
 * JavaScript converts some letters (final sigma, `İ`) differently. */
function searchPattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
