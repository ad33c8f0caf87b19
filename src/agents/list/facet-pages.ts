import { LRUCache } from 'lru-cache'
import type { Statements } from '../../platform/database/database.ts'
import { readNewest, readRange } from './facet-store.ts'
import { type AgentFilters, filtersUncounted } from './filters.ts'

export interface FactsPage {
  /** The `facts` of the agents one after the other. */
  facts: Buffer
  /** The last agent of the page. Undefined if no agent comes after it. */
  next: string | undefined
  /** Where the pages behind this one are known to end. */
  ends: readonly string[]
}

/** Where the pages of a team end is remembered for so long: agents that come from another database may have old ids, and a page
 * would grow. */
const REMEMBER_MS = 60_000
const MAX_TEAMS = 1_000
const MAX_ENDS = 100

/** Reads the agents of a team page by page, newest first. New agents come before the first page, so the ends of the others stay: a
 * page with a known end needs no limit and no search for its last agent. */
export function createPageReader(searches: Statements, size: number) {
  const remembered = new LRUCache<string, string[]>({ max: MAX_TEAMS, ttl: REMEMBER_MS })

  const rememberEnd = (teamId: string, id: string) => {
    const ends = remembered.get(teamId) ?? []
    const [lowest] = ends.slice(-1)
    // Another request of the team may have found it first, or one that is a few agents away.
    if (ends.length < MAX_ENDS && (lowest === undefined || id < lowest)) remembered.set(teamId, [...ends, id])
  }

  /** Without a previous page, the first one. */
  return async (teamId: string, filters: AgentFilters, previous?: FactsPage): Promise<FactsPage> => {
    const ends = previous?.ends ?? remembered.get(teamId) ?? []
    const [until, ...later] = ends
    const range = { after: previous?.next, until }
    if (previous && until !== undefined) {
      return { facts: await readRange(searches, teamId, filters, range), next: until, ends: later }
    }
    const { facts, last } = await readNewest(searches, teamId, filters, range, size)
    if (last === undefined || last === until) return { facts, next: until, ends: later }
    if (until === undefined && !filtersUncounted(filters)) rememberEnd(teamId, last)
    return { facts, next: last, ends }
  }
}
