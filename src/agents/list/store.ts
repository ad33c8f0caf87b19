import type { Statements } from '../../platform/database/database.ts'
import { findCandidates } from './candidates.ts'
import { FLAG_FIELDS } from './filter-table.ts'
import type { AgentFilters } from './filters.ts'
import {
  candidatesStatement,
  countFilteredStatement,
  countStatement,
  filteredStatement,
  mergeStatement,
  type PageRequest,
  type Search,
  sampleStatement,
  searchStatement,
} from './statement.ts'

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

/** Whether only the table `agent_filters` has what the request needs. */
export function needsFilterTable(filters: AgentFilters, sort: string): boolean {
  const { modelNames, hubs, tags, minScore } = filters
  return (
    sort.endsWith('score') ||
    [modelNames, hubs, tags, minScore].some((filter) => filter !== undefined) ||
    (['access_levels', 'protocols', 'evaluation'] as const).some(
      (field) => filters[field].length < FLAG_FIELDS[field].values.length,
    )
  )
}

export async function listAgents(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  request: PageRequest,
): Promise<ListedPage> {
  if (needsFilterTable(filters, request.sort)) return listFilteredAgents(sql, teamId, filters, request)
  const statement =
    filters.q === undefined
      ? mergeStatement(teamId, filters, request)
      : searchStatement(teamId, filters, request, await chooseSearch(sql, teamId, filters))
  return toPage(await sql.read<ListedRow>(statement), request)
}

/** Finds the agents in the table `agent_filters`, which must have all agents of the team. Few are looked up; many are found by a
 * walk in the order of the page. */
export async function listFilteredAgents(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  request: PageRequest,
): Promise<ListedPage> {
  const candidates = await findCandidates(sql, teamId, filters)
  const statement = candidates
    ? candidatesStatement(teamId, filters, request, candidates)
    : filteredStatement(teamId, filters, request)
  return toPage(await sql.read<ListedRow>(statement), request)
}

type ListedRow = ListedAgent & { has_next: boolean }

function toPage(rows: ListedRow[], { limit }: PageRequest): ListedPage {
  const agents = rows.slice(0, limit)
  return { agents, hasNext: agents.at(-1)?.has_next === true }
}

/** At this share of matches, a scan reads about 5,000 agents to fill a page of 100. */
const MIN_SHARE_FOR_SCAN = 0.02

/** Estimates whether the search matches many agents of this team. The statistics of PostgreSQL cover all teams together. A
 * wrong estimate is slower; the result is the same. */
async function chooseSearch(sql: Statements, teamId: string, filters: AgentFilters): Promise<Search> {
  const [row] = await sql.read<{ share: number }>(sampleStatement(teamId, filters))
  return (row?.share ?? 0) >= MIN_SHARE_FOR_SCAN ? 'scan' : 'lookup'
}

export async function countAgents(sql: Statements, teamId: string, filters: AgentFilters): Promise<number> {
  const statement = needsFilterTable(filters, '') ? countFilteredStatement : countStatement
  const [row] = await sql.read<{ count: number }>(statement(teamId, filters))
  return row?.count ?? 0
}
