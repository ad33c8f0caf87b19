import type { AgentListQuery } from '../../contract/list.ts'
import type { Sessions } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../platform/pagination-cursor.ts'
import { type AgentFilters, readFilters } from './filters.ts'
import { countAgents, type ListedAgent, listAgents } from './store.ts'

export interface AgentListDeps {
  reads: Sessions
  searches: Sessions
}

export type AgentList = ReturnType<typeof createAgentList>

/** A larger page usually takes much memory while it is made. */
const MAX_LIMIT_OF_READS = 100

/** Whether a page or its count may read many agents. */
function isSearch(
  filters: AgentFilters,
  { limit = 0, include_count: hasCount = false }: AgentListQuery,
): boolean {
  return hasCount || limit > MAX_LIMIT_OF_READS || Object.values(filters).some((given) => given !== undefined)
}

/** Returns a page as the JSON of an AgentPage. */
export function createAgentList({ reads, searches }: AgentListDeps) {
  return async (caller: Caller, query: AgentListQuery): Promise<string> => {
    const { sort = '-created_at', limit = 100, fields, include_scores: includeScores = false } = query
    const filters = readFilters(query)
    const cursorScope = [filters, sort]
    const position = decodeCursor(cursorScope, query.cursor, isPositionOf(sort))
    const sql = (isSearch(filters, query) ? searches : reads).of(caller.teamId)
    const page = { sort, limit, position, shape: { includeScores, fields } }
    const { agents, hasNext } = await listAgents(sql, caller.teamId, filters, page)
    const count = query.include_count ? await countAgents(sql, caller.teamId, filters) : undefined
    const last = agents.at(-1)
    const results = agents.map(({ text }) => text).join(',')
    const revisions = agents.map(({ revision }) => revision).join(',')
    const next = JSON.stringify(hasNext && last ? encodeCursor(cursorScope, positionOf(last, sort)) : null)
    const counted = count === undefined ? '' : `,"count":${count}`
    return `{"results":[${results}],"revisions":[${revisions}],"next_cursor":${next}${counted}}`
  }
}

const isByCreation = (sort: string) => sort.endsWith('created_at')

function isPositionOf(sort: string) {
  const isKey = sort.endsWith('score') ? isScore : isName
  return (parts: unknown[]): boolean => {
    const isId = isCanonicalUuid(parts.at(-1))
    return isByCreation(sort) ? isId && parts.length === 1 : isId && parts.length === 2 && isKey(parts[0])
  }
}

function isName(key: unknown): boolean {
  return typeof key === 'string' && key.isWellFormed() && !key.includes('\0')
}

/** As JavaScript writes it: PostgreSQL refuses other numbers, such as 1e-400. */
function isScore(key: unknown): boolean {
  return typeof key === 'string' && key !== 'NaN' && key !== 'Infinity' && String(Number(key)) === key
}

function positionOf({ id, sort_key: key }: ListedAgent, sort: string): string[] {
  if (isByCreation(sort)) return [id]
  return [sort.endsWith('score') ? String(Number(key)) : key, id]
}
