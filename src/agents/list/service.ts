import { AGENT_FILTERS } from '../../contract/agent-filters.ts'
import type { AgentListQuery } from '../../contract/list.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../platform/pagination-cursor.ts'
import { readFilters } from './filters.ts'
import type { RequireFilterTable } from './readiness.ts'
import { countAgents, type ListedAgent, listAgents, needsFilterTable } from './store.ts'

export interface AgentListDeps {
  reads: Statements
  searches: Statements
  requireFilterTable: RequireFilterTable
}

export type AgentList = ReturnType<typeof createAgentList>

const { statuses: _s, trust_stages: _t, protection_statuses: _p, ...SEARCHED } = AGENT_FILTERS

/** A larger page usually takes much memory while it is made, so it has one of the few places for searches. */
const MAX_LIMIT_OF_READS = 100

/** A page or a count that may read many agents needs a lane of its own. The query may be unchecked yet. */
export function isSearch(query: unknown): boolean {
  const given = query as Record<string, unknown>
  return (
    // An empty `q` is no filter. An empty tag, model or hub is one.
    Object.keys(SEARCHED).some(
      (name) => given[name] !== undefined && !(name === 'q' && given[name] === ''),
    ) ||
    Number(given['limit']) > MAX_LIMIT_OF_READS ||
    String(given['include_count']) === 'true' ||
    String(given['sort']).endsWith('score')
  )
}

/** Returns a page as the JSON of an AgentPage, in bytes: a text of megabytes would be copied several times. */
export function createAgentList({ reads, searches, requireFilterTable }: AgentListDeps) {
  return async (caller: Caller, query: AgentListQuery): Promise<Buffer> => {
    const { sort = '-created_at', limit = 100, fields, include_scores: includeScores = false } = query
    const filters = readFilters(query)
    const cursorScope = [filters, sort]
    const position = decodeCursor(cursorScope, query.cursor, isPositionOf(sort))
    const sql = isSearch(query) ? searches : reads
    if (needsFilterTable(filters, sort)) await requireFilterTable(caller.teamId)
    const page = { sort, limit, position, shape: { includeScores, fields } }
    const { agents, hasNext } = await listAgents(sql, caller.teamId, filters, page)
    // Not at the same time: a request has one connection.
    const count = query.include_count ? await countAgents(sql, caller.teamId, filters) : undefined
    const last = agents.at(-1)
    const revisions = agents.map(({ revision }) => revision).join(',')
    const nextCursor = hasNext && last ? encodeCursor(cursorScope, positionOf(last, sort)) : null
    const counted = count === undefined ? '' : `,"count":${count}`
    const next = JSON.stringify(nextCursor)
    const end = `],"revisions":[${revisions}],"next_cursor":${next}${counted}}`
    return joinTexts('{"results":[', agents, end)
  }
}

/** The agents give their texts away: V8 may keep the rows of a result until a major collection. */
function joinTexts(start: string, agents: ListedAgent[], end: string): Buffer {
  const texts = [start]
  for (const [index, agent] of agents.entries()) {
    texts.push(index === 0 ? '' : ',', agent.text)
    agent.text = ''
  }
  texts.push(end)
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return bytes
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
