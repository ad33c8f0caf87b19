import { AGENT_STATUSES, PROTECTION_STATUSES, TRUST_STAGES } from '../../contract/agent.ts'
import type { AgentListQuery } from '../../contract/list.ts'
import type { Statements } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../platform/pagination-cursor.ts'
import { type AgentFilters, countAgents, type ListedAgent, listAgents } from './store.ts'

export type AgentList = ReturnType<typeof createAgentList>

/** Archived agents appear only when the request names that status. */
const SHOWN_STATUSES = AGENT_STATUSES.filter((status) => status !== 'archived')

/** A search by name or a count may read many agents, so it needs a lane of its own. The query may be unchecked yet. */
export function isSearch(query: unknown): boolean {
  const { q, include_count: includeCount } = query as { q?: unknown; include_count?: unknown }
  return (q !== undefined && q !== '') || String(includeCount) === 'true'
}

/** Returns a page as the text of an AgentPage. */
export function createAgentList(reads: Statements, searches: Statements) {
  return async (caller: Caller, query: AgentListQuery): Promise<string> => {
    const { sort = '-created_at', limit = 100, include_scores: includeScores = false } = query
    const filters = readFilters(query)
    const cursorScope = [filters, sort]
    const position = decodeCursor(cursorScope, query.cursor, isPositionOf(sort))
    const sql = isSearch(query) ? searches : reads
    const page = { sort, limit, position, includeScores }
    const { agents, hasNext } = await listAgents(sql, caller.teamId, filters, page)
    // Not at the same time: a request has one connection.
    const count = query.include_count ? await countAgents(sql, caller.teamId, filters) : undefined
    const last = agents.at(-1)
    const results = agents.map(({ text }) => text).join(',')
    const revisions = agents.map(({ revision }) => revision).join(',')
    const nextCursor = hasNext && last ? encodeCursor(cursorScope, positionOf(last, sort)) : null
    const counted = count === undefined ? '' : `,"count":${count}`
    const next = JSON.stringify(nextCursor)
    return `{"results":[${results}],"revisions":[${revisions}],"next_cursor":${next}${counted}}`
  }
}

/** Removes duplicate values and fixes their order, so that equal filters accept the same cursor. */
function readFilters({ statuses, trust_stages, protection_statuses, q }: AgentListQuery): AgentFilters {
  const known = (given: readonly string[] | undefined, all: readonly string[]) =>
    given === undefined || given.length === 0 ? all : all.filter((value) => given.includes(value))
  return {
    statuses: statuses && statuses.length > 0 ? known(statuses, AGENT_STATUSES) : SHOWN_STATUSES,
    trustStages: known(trust_stages, TRUST_STAGES),
    protectionStatuses: known(protection_statuses, PROTECTION_STATUSES),
    q: q === '' ? undefined : q,
  }
}

function isPositionOf(sort: string) {
  return (parts: unknown[]): boolean => {
    const isId = isCanonicalUuid(parts.at(-1))
    if (!sort.endsWith('agent_name')) return isId && parts.length === 1
    const [name] = parts
    return (
      isId && parts.length === 2 && typeof name === 'string' && name.isWellFormed() && !name.includes('\0')
    )
  }
}

function positionOf({ id, agent_name }: ListedAgent, sort: string): string[] {
  return sort.endsWith('agent_name') ? [agent_name, id] : [id]
}
