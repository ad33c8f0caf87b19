import type { AgentFacets, AgentFilters, AuditEvent } from '@agent-console/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '../api/client.ts'
import { useMay } from '../auth/permissions.ts'
import { nowSeconds } from '../shared/format.ts'
import type { ListFilter } from './search.ts'

/** Counts of the agents that match; one bounded request. undefined while they are not known. */
export function useCounts(filters: AgentFilters, enabled = true): AgentFacets | undefined {
  const { data } = useQuery({
    queryKey: keys.facets(filters),
    queryFn: ({ signal }) => api().agents.facets(filters, { signal }),
    placeholderData: keepPreviousData,
    enabled,
  })
  return data
}

interface Count {
  value: string
  count: number
}

/** The API counts no hubs. */
export function countsOf(facets: AgentFacets | undefined, name: ListFilter): readonly Count[] {
  return name === 'hubs' ? [] : (facets?.facets[name] ?? [])
}

export function countOf(
  facets: AgentFacets | undefined,
  name: ListFilter,
  value: string,
): number | undefined {
  if (facets === undefined) return undefined
  return countsOf(facets, name).find((each) => each.value === value)?.count ?? 0
}

const DAY = 24 * 3600
const MOST = 500

/**
 * The changes of the last 24 hours. The source is one page of the audit log, at most 500 events: agents cannot be
 * listed by their last change. null without the permission to read the audit log.
 */
export function useChangesOfDay(): DayOfChanges | null | undefined {
  const may = useMay('audit:read')
  const { data } = useQuery({
    queryKey: ['fleet-changes'],
    queryFn: async ({ signal }) => {
      const to = nowSeconds()
      const page = await api().audit.list({ since: to - DAY, limit: MOST }, { signal })
      return summarise(page.results, { from: to - DAY, to, more: page.next_cursor !== null })
    },
    enabled: may,
    refetchInterval: 60_000,
  })
  return may ? data : null
}

const BARS = 24

const CHANGES: ReadonlySet<string> = new Set([
  'agent_created',
  'agent_updated',
  'agent_restored',
  'agent_trust_stage_changed',
  'agent_deleted',
  'agent_recovered',
])

export interface DayOfChanges {
  /** Of the changes since `from`. */
  count: number
  /** The audit log has more events of this day than one page: the bars begin with the oldest event of the page. */
  more: boolean
  from: number
  to: number
  bars: readonly number[]
  /** The last change of each agent: who made it, and when. */
  last: ReadonlyMap<string, { by: string; name: string | null; at: number }>
}

/** `events` are the newest ones, newest first. */
export function summarise(
  events: readonly AuditEvent[],
  { from, to, more }: Pick<DayOfChanges, 'from' | 'to' | 'more'>,
): DayOfChanges {
  const start = more ? (events.at(-1)?.at ?? from) : from
  const width = Math.max(1, to - start) / BARS
  const bars = Array.from({ length: BARS }, () => 0)
  const last = new Map<string, { by: string; name: string | null; at: number }>()
  let count = 0
  for (const { at, action, agent_id: id, user_id: by, changed_by_name: name } of events) {
    if (!CHANGES.has(action)) continue
    count += 1
    const bar = Math.min(BARS - 1, Math.max(0, Math.floor((at - start) / width)))
    bars[bar] = (bars[bar] ?? 0) + 1
    if (id !== null && !last.has(id)) last.set(id, { by, name, at })
  }
  return { count, more, from: start, to, bars, last }
}
