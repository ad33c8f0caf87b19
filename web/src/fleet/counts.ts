import type { AgentFacets, AgentFilters } from '@agent-console/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import type { ListFilter } from './filters.ts'

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
