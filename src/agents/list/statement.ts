// The statements of a page. An inner query finds the ids of the page; the outer one reads those agents.

import { Agent } from '../../contract/agent.ts'
import type { AgentSort } from '../../contract/list.ts'
import type { Statement } from '../../platform/database/database.ts'
import { AGENT_TEXT, type AgentShape, agentSql } from '../columns.ts'
import { type AgentFilters, matchesFilters, Parameters, searchPattern } from './filters.ts'

export interface PageRequest {
  sort: AgentSort
  /** Maximum number of agents. */
  limit: number
  /** The sort key of the last agent of the previous page. */
  position: (string | number)[] | undefined
  shape: AgentShape
}

/** How to search in `agents`. */
export type Search = 'scan' | 'lookup'

/** Maximum size of a page. A page takes about three times as much memory while it is made. It must exceed MAX_AGENT_BYTES:
 * every page needs room for one agent. */
const PAGE_BYTES = 2 * 1024 * 1024

interface Order {
  /** The last one is the id. */
  keys: readonly string[]
  direction: 'ASC' | 'DESC'
}

const BY_NAME = ['agent_name COLLATE "C"', 'id']

function orderOf(sort: AgentSort, byName = BY_NAME): Order {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  if (sort.endsWith('agent_name')) return { keys: byName, direction }
  return { keys: sort.endsWith('score') ? ['score', 'id'] : ['id'], direction }
}

const orderBy = ({ keys, direction }: Order) => keys.map((key) => `${key} ${direction}`).join(', ')

const KEY_TYPES: Record<string, string> = { id: 'uuid', score: 'double precision' }

function afterCursor({ keys, direction }: Order, { position }: PageRequest, parameters: Parameters): string {
  if (position === undefined) return ''
  const values = keys.map(
    (key, n) => `${parameters.add(position[n])}::${KEY_TYPES[key] ?? 'text COLLATE "C"'}`,
  )
  return ` AND (${keys.join(', ')}) ${direction === 'DESC' ? '<' : '>'} (${values.join(', ')})`
}

/** One more than the limit, to find out whether there is another page. */
const rowsOf = ({ limit }: PageRequest) => limit + 1

const toParameters = (teamId: string, { statuses, trust_stages, protection_statuses }: AgentFilters) =>
  new Parameters(teamId, statuses, trust_stages, protection_statuses)

/** For each combination of status, trust stage and protection status, the index is already sorted. The statement merges the first
 * rows of each combination. */
export function mergeStatement(teamId: string, filters: AgentFilters, request: PageRequest): Statement {
  const order = orderOf(request.sort)
  const parameters = toParameters(teamId, filters)
  const limit = parameters.add(rowsOf(request))
  const page = `
  SELECT first_rows.id, first_rows.agent_name FROM
    unnest($2::text[]) AS s (status), unnest($3::text[]) AS t (stage), unnest($4::text[]) AS p (status)
  CROSS JOIN LATERAL (
    SELECT id, agent_name FROM agents a
    WHERE team_id = $1 AND a.status = s.status AND trust_stage = t.stage AND protection_status = p.status${afterCursor(order, request, parameters)}
    ORDER BY ${orderBy(order)} LIMIT ${limit}
  ) first_rows
  ORDER BY ${orderBy(order)} LIMIT ${limit}`
  const { sort, position, shape } = request
  return {
    // Choices of fields are too many to name.
    name: shape.fields ? undefined : `list-agents ${sort} ${position !== undefined} ${shape.includeScores}`,
    text: readPage(page, order, shape),
    values: parameters.values,
  }
}

const MATCHES =
  'status = ANY ($2) AND trust_stage = ANY ($3) AND protection_status = ANY ($4) AND lower(agent_name) LIKE lower($5::text)'

/** A search by name. It is unnamed, so that PostgreSQL plans each one with its own values: the best index depends on team, text
 * and limit. */
export function searchStatement(
  teamId: string,
  filters: AgentFilters,
  request: PageRequest,
  search: Search,
): Statement {
  const order = orderOf(request.sort)
  const parameters = toParameters(teamId, filters)
  parameters.add(searchPattern(filters.q ?? ''))
  const limit = parameters.add(rowsOf(request))
  const after = afterCursor(order, request, parameters)
  const page = {
    // Many agents match: scan in sort order until the page is full. OFFSET 0 stops the planner from pushing the filters
    // into the scan.
    scan: `
  SELECT id, agent_name FROM (
    SELECT id, agent_name, status, trust_stage, protection_status FROM agents
    WHERE team_id = $1${after}
    ORDER BY ${orderBy(order)} OFFSET 0
  ) scanned
  WHERE ${MATCHES} LIMIT ${limit}`,
    // Few agents match: use the trigram index or the filter index, then sort.
    lookup: `
  SELECT id, agent_name FROM agents
  WHERE team_id = $1 AND ${MATCHES}${after}
  ORDER BY ${orderBy(order)} LIMIT ${limit}`,
  }[search]
  return { name: undefined, text: readPage(page, order, request.shape), values: parameters.values }
}

/** The share of matching agents among the oldest and the newest of the team. */
export function sampleStatement(teamId: string, filters: AgentFilters): Statement {
  const parameters = toParameters(teamId, filters)
  parameters.add(searchPattern(filters.q ?? ''))
  const columns = 'status, trust_stage, protection_status, agent_name'
  return {
    name: 'sample-agents',
    text: shareSql('agents', columns, MATCHES, parameters),
    values: parameters.values,
  }
}

const SAMPLED = 250

/** Selects the share of rows that match among the first and the last of the team $1 in a table. */
export function shareSql(table: string, columns: string, condition: string, parameters: Parameters): string {
  const limit = parameters.add(SAMPLED)
  const sampled = (direction: string) =>
    `(SELECT ${columns} FROM ${table} WHERE team_id = $1 ORDER BY id${direction} LIMIT ${limit})`
  return `
SELECT coalesce(avg((${condition})::integer), 0)::float AS share
FROM (${sampled('')} UNION ALL ${sampled(' DESC')}) sample`
}

/** A page of some agents that match the filters. */
export function candidatesStatement(
  teamId: string,
  filters: AgentFilters,
  request: PageRequest,
  candidates: readonly string[],
): Statement {
  const order = orderOf(request.sort, ['name', 'id'])
  const parameters = new Parameters(teamId, candidates)
  const page = `
  SELECT ${order.keys.join(', ')} FROM agent_filters
  WHERE team_id = $1 AND id = ANY ($2::uuid[])${afterCursor(order, request, parameters)}
    AND ${matchesFilters(filters, parameters)}
  ORDER BY ${orderBy(order)} LIMIT ${parameters.add(rowsOf(request))}`
  return { name: undefined, text: readPage(page, order, request.shape), values: parameters.values }
}

/** Walks the index of the sort order until the page is full. It holds what the filters need, so even a filter that no agent
 * matches only reads the index entries of the team. OFFSET 0 stops the planner from choosing another order. */
export function filteredStatement(teamId: string, filters: AgentFilters, request: PageRequest): Statement {
  const order = orderOf(request.sort, ['name', 'id'])
  const parameters = new Parameters(teamId)
  const { minScore } = filters
  const isByScore = request.sort.endsWith('score')
  // The index of this order finds the first score itself.
  const fromScore =
    isByScore && minScore !== undefined ? ` AND score >= ${parameters.add(minScore)}::double precision` : ''
  const page = `
  SELECT ${order.keys.join(', ')} FROM (
    SELECT id, name, flags, score, hub, facts, search_name FROM agent_filters
    WHERE team_id = $1${fromScore}${afterCursor(order, request, parameters)}
    ORDER BY ${orderBy(order)} OFFSET 0
  ) scanned
  WHERE ${matchesFilters(filters, parameters)} LIMIT ${parameters.add(rowsOf(request))}`
  return { name: undefined, text: readPage(page, order, request.shape), values: parameters.values }
}

/** Only `bytes` is summed, so the large columns of agents that do not fit into the page are never read. Ordering the window by the
 * sort keys of the page avoids a second sort. */
function readPage(page: string, { keys, direction }: Order, shape: AgentShape): string {
  return `
SELECT picked.id, key_0::text AS sort_key, picked.revision, ${AGENT_TEXT}, has_next FROM (
  SELECT a.*, ${keys.map((key, n) => `page.${key} AS key_${n}`).join(', ')},
    sum(${bytesSql(shape)}) OVER in_order AS bytes_so_far,
    lead(a.id) OVER in_order IS NOT NULL AS has_next
  FROM (${page}
  ) page
  JOIN agents a ON a.team_id = $1 AND a.id = page.id
  WINDOW in_order AS (ORDER BY ${keys.map((key) => `page.${key} ${direction}`).join(', ')})
) picked, ${agentSql('picked', shape)}
WHERE bytes_so_far <= ${PAGE_BYTES}
ORDER BY ${keys.map((_, n) => `key_${n} ${direction}`).join(', ')}`
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

export function countStatement(teamId: string, filters: AgentFilters): Statement {
  const parameters = toParameters(teamId, filters)
  const isSearch = filters.q !== undefined
  if (isSearch) parameters.add(searchPattern(filters.q ?? ''))
  return {
    name: undefined,
    text: `
SELECT count(*) AS count FROM agents a
WHERE a.team_id = $1 AND a.status = ANY ($2) AND a.trust_stage = ANY ($3) AND a.protection_status = ANY ($4)${
      isSearch ? ' AND lower(a.agent_name) LIKE lower($5::text)' : ''
    }`,
    values: parameters.values,
  }
}

export function countFilteredStatement(teamId: string, filters: AgentFilters): Statement {
  const parameters = new Parameters(teamId)
  const text = `SELECT count(*) AS count FROM agent_filters WHERE team_id = $1 AND ${matchesFilters(filters, parameters)}`
  return { name: undefined, text, values: parameters.values }
}
