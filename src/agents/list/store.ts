import type { AgentSort } from '../../contract/list.ts'
import type { Statements } from '../../platform/database.ts'
import { countStatement, listStatement, SAMPLE } from './statement.ts'

export interface AgentFilters {
  statuses: readonly string[]
  trustStages: readonly string[]
  protectionStatuses: readonly string[]
  /** Part of a name. */
  q: string | undefined
}

export interface PageRequest {
  sort: AgentSort
  /** Maximum number of agents. */
  limit: number
  /** The sort key of the last agent of the previous page. */
  position: (string | number)[] | undefined
  includeScores: boolean
}

/** `text` is the agent as JSON, ready for the response. */
export interface ListedAgent {
  id: string
  agent_name: string
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
  { sort, limit, position = [], includeScores }: PageRequest,
): Promise<ListedPage> {
  const { statuses, trustStages, protectionStatuses, q } = filters
  const search = q === undefined ? undefined : await chooseSearch(sql, teamId, filters)
  const isContinued = position.length > 0
  const rows = await sql.read<ListedAgent & { has_next: boolean }>({
    // A search is unnamed, so that PostgreSQL plans each one with its own values: the best index depends on team, text and
    // limit.
    name: search === undefined ? `list-agents ${sort} ${isContinued} ${includeScores}` : undefined,
    text: listStatement({ sort, search, isContinued, includeScores }),
    values: [
      teamId,
      statuses,
      trustStages,
      protectionStatuses,
      // One more than the limit, to find out whether there is another page.
      limit + 1,
      ...(q === undefined ? [] : [pattern(q)]),
      ...position,
    ],
  })
  const shown = rows.slice(0, limit)
  return {
    agents: shown,
    hasNext: shown.at(-1)?.has_next === true,
  }
}

const SAMPLED = 250
/** At this share of matches, a scan reads about 5,000 agents to fill a page of 100. */
const MIN_SHARE_FOR_SCAN = 0.02

/** Estimates whether the search matches many agents of this team. The statistics of PostgreSQL cover all teams together. A
 * wrong estimate is slower; the result is the same. */
async function chooseSearch(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
): Promise<'scan' | 'lookup'> {
  const { statuses, trustStages, protectionStatuses, q = '' } = filters
  const [row] = await sql.read<{ share: number }>({
    name: 'sample-agents',
    text: SAMPLE,
    values: [teamId, statuses, trustStages, protectionStatuses, SAMPLED, pattern(q)],
  })
  return (row?.share ?? 0) >= MIN_SHARE_FOR_SCAN ? 'scan' : 'lookup'
}

export async function countAgents(sql: Statements, teamId: string, filters: AgentFilters): Promise<number> {
  const { statuses, trustStages, protectionStatuses, q } = filters
  const [row] = await sql.read<{ count: number }>({
    name: undefined,
    text: countStatement(q !== undefined),
    values: [teamId, statuses, trustStages, protectionStatuses, ...(q === undefined ? [] : [pattern(q)])],
  })
  return row?.count ?? 0
}

/** Escapes `%` and `_`, the wildcards of LIKE. PostgreSQL converts both names and pattern to lower case, because JavaScript
 * converts some letters (final sigma, `İ`) differently. */
function pattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
