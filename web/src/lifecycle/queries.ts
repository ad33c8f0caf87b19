import type { AgentFacets, AgentFilters, TrustStage } from '@agent-console/sdk'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { listQuery } from '../api/list.ts'
import { DEFAULT_SORT } from '../shared/sorts.ts'
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
    sort: search.sort ?? DEFAULT_SORT,
    limit: PAGE,
    fields: [...FIELDS],
    include_scores: true,
  }
  return listQuery(keys.list({ board: stage, ...search }), (cursor, signal) =>
    api().agents.list({ ...query, ...cursor }, { signal }),
  )
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
