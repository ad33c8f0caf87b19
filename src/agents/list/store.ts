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
  /** The most agents it may have. */
  limit: number
  /** The sort key of the last agent of the page before. */
  position: (string | number)[] | undefined
  includeScores: boolean
}

/** An agent as the text of its part of the response body. */
export interface ListedAgent {
  id: string
  agent_name: string
  text: string
}

export interface ListedPage {
  agents: ListedAgent[]
  /** Whether there are agents behind the last one. */
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
    // A search is planned each time, for its own team, words and limit: which index leaves the fewest depends on all of
    // them, and a plan for any limit reads the whole team.
    name: search === undefined ? `list-agents ${sort} ${isContinued} ${includeScores}` : undefined,
    text: listStatement({ sort, search, isContinued, includeScores }),
    values: [
      teamId,
      statuses,
      trustStages,
      protectionStatuses,
      // One more than asked for tells whether there is another page.
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
/** Where so many match, a page of 100 is full after some thousand agents. */
const WORTH_A_WALK = 0.02

/** Whether what is searched for is common in this team or rare. The planner cannot know: its statistics are of all
 * teams together. A wrong guess costs time, never an agent. */
async function chooseSearch(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
): Promise<'walk' | 'look_up'> {
  const { statuses, trustStages, protectionStatuses, q = '' } = filters
  const [row] = await sql.read<{ share: number }>({
    name: 'sample-agents',
    text: SAMPLE,
    values: [teamId, statuses, trustStages, protectionStatuses, SAMPLED, pattern(q)],
  })
  return (row?.share ?? 0) >= WORTH_A_WALK ? 'walk' : 'look_up'
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

/** The searched text stands for itself: `%` and `_` in it are no wildcards. Its case is left to PostgreSQL, as that of
 * the names is: JavaScript ends a Greek word with another letter and takes `İ` for two. */
function pattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
