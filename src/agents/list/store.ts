import { Agent } from '../../contract/agent.ts'
import type { AgentSort } from '../../contract/list.ts'
import type { Statement, Statements } from '../../platform/database/database.ts'
import {
  EMPTY,
  type Fragment,
  fragment,
  join,
  named,
  type Param,
  param,
  raw,
  unnamed,
} from '../../platform/database/sql.ts'
import { AGENT_TEXT, type AgentShape, agentSql } from '../columns.ts'
import { type AgentFilters, conditionsOf } from './filters.ts'

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

export async function listAgents(
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
 * order until the page is full, or reads the rows of the team and sorts those that match. The statement has no
 * name if there are filters: then each is planned with its own values. */
export function pageStatement(teamId: string, filters: AgentFilters, request: PageRequest): Statement {
  const { sort, limit, position, shape } = request
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const order = ORDERS[sort.replace('-', '')] ?? []
  const keys = order.map(([column]) => column)
  const inOrder = (prefix: string) => raw(keys.map((key) => `${prefix}${key} ${direction}`).join(', '))
  const team = param(teamId)
  const isFiltered = Object.values(filters).some((wanted) => wanted !== undefined)
  const keyList = raw(keys.join(', '))
  const comparison = raw(direction === 'DESC' ? '<' : '>')
  const last =
    position &&
    join(
      order.map(([, type], n) => fragment`${position[n]}::${raw(type)}`),
      ', ',
    )
  const isNamed = !isFiltered && !shape.fields && !shape.isExport
  const name = `list-agents ${sort} ${last !== undefined} ${shape.includeScores === true}`
  // Only `bytes` is summed, so the large columns of agents that do not fit into the page are never read.
  return named(isNamed ? name : undefined)`
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
