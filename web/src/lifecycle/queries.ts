import type { AgentFacets, AgentFilters, TrustStage } from '@agent-console/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { STAGES } from '../shared/words.ts'
import { FIELDS } from './cards.ts'
import type { LifecycleSearch } from './search.ts'

export const STAGE_NAMES = Object.keys(STAGES) as TrustStage[]
const PAGE = 50

function filtersOf({ q, evaluation, protection_statuses }: LifecycleSearch): AgentFilters {
  return {
    ...(q === undefined ? {} : { q }),
    ...(evaluation === undefined ? {} : { evaluation: [evaluation] }),
    ...(protection_statuses === undefined ? {} : { protection_statuses: [protection_statuses] }),
  }
}

export function columnQuery(stage: TrustStage, search: LifecycleSearch) {
  const query = {
    ...filtersOf(search),
    trust_stages: [stage],
    sort: search.sort ?? '-created_at',
    limit: PAGE,
    fields: [...FIELDS],
    include_scores: true,
  } as const
  return infiniteQueryOptions({
    queryKey: keys.list({ board: stage, ...search }),
    queryFn: ({ pageParam, signal }) =>
      api().agents.list(
        {
          ...query,
          trust_stages: [stage],
          fields: [...FIELDS],
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

export function countsQuery(search: LifecycleSearch) {
  const filters = filtersOf(search)
  return queryOptions({
    queryKey: keys.facets(filters),
    queryFn: ({ signal }) => api().agents.facets(filters, { signal }),
  })
}

export function countOf(facets: AgentFacets | undefined, stage: string): number | undefined {
  return facets?.facets.trust_stages.find(({ value }) => value === stage)?.count
}

/** The counts after one agent moved. */
export function withMoved(
  facets: AgentFacets | undefined,
  from: string,
  to: string,
): AgentFacets | undefined {
  if (facets === undefined) return undefined
  const change: Record<string, number> = { [from]: -1, [to]: 1 }
  const trust_stages = facets.facets.trust_stages.map(({ value, count }) => ({
    value,
    count: count + (change[value] ?? 0),
  }))
  return { ...facets, facets: { ...facets.facets, trust_stages } }
}
