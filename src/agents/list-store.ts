import type { AgentSort } from '../contract/list.ts'
import type { Sql } from '../platform/database.ts'
import { countStatement, listStatement } from './list-statement.ts'
import type { AgentRow } from './store.ts'

export interface AgentFilters {
  statuses: readonly string[]
  trustStages: readonly string[]
  protectionStatuses: readonly string[]
  /** Part of a name. */
  q: string | undefined
}

export interface PageRequest {
  sort: AgentSort
  limit: number
  /** The sort key of the last agent of the page before. */
  position: (string | number)[] | undefined
}

export function listAgents(
  sql: Sql,
  teamId: string,
  filters: AgentFilters,
  { sort, limit, position }: PageRequest,
): Promise<AgentRow[]> {
  const isSearch = filters.q !== undefined
  const shape = { sort, isSearch, isContinued: position !== undefined }
  const { statuses, trustStages, protectionStatuses, q } = filters
  return sql.read<AgentRow>({
    // A search is planned each time, for its own team and words: whether to walk the names or to look their parts
    // up depends on both.
    name: isSearch ? undefined : `list-agents ${sort}${position ? ' continued' : ''}`,
    text: listStatement(shape),
    values: [
      teamId,
      statuses,
      trustStages,
      protectionStatuses,
      limit,
      ...(q === undefined ? [] : [pattern(q)]),
      ...(position ?? []),
    ],
  })
}

export async function countAgents(sql: Sql, teamId: string, filters: AgentFilters): Promise<number> {
  const { statuses, trustStages, protectionStatuses, q } = filters
  const [row] = await sql.read<{ count: number }>({
    name: undefined,
    text: countStatement(q !== undefined),
    values: [teamId, statuses, trustStages, protectionStatuses, ...(q === undefined ? [] : [pattern(q)])],
  })
  return row?.count ?? 0
}

/** The searched text stands for itself: `%` and `_` in it are no wildcards. */
function pattern(q: string): string {
  return `%${q.toLowerCase().replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
