import type { AgentFacets, AgentFilters, AgentPage, TrustStage } from '@agent-console/sdk'
import { type InfiniteData, queryOptions } from '@tanstack/react-query'
import { api, keys, listQuery } from '../api/client.ts'
import { DEFAULT_SORT } from '../shared/search.ts'
import { STAGES } from '../shared/words.ts'
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

const FIELDS = ['agent_name', 'status', 'protection_status', 'trust_stage', 'latest_evaluation'] as const

type CardPage = AgentPage<(typeof FIELDS)[number]>
type Column = InfiniteData<CardPage>

export interface Card {
  agent: CardPage['results'][number]
  revision: number
}

export function cardsOf(column: Column | undefined): Card[] {
  return (column?.pages ?? []).flatMap(({ results, revisions }) =>
    results.map((agent, index) => ({ agent, revision: revisions[index] ?? 0 })),
  )
}

/** Revisions since the evaluated one; undefined where the evaluation does not name it. */
export function behindOf({ agent, revision }: Card): number | undefined {
  const evaluated = agent.latest_evaluation
  if (evaluated?.current === true) return 0
  return typeof evaluated?.revision === 'number' ? revision - evaluated.revision : undefined
}

export function without(column: Column | undefined, id: string): Column | undefined {
  return column && { ...column, pages: column.pages.map((page) => withoutOfPage(page, id)) }
}

function withoutOfPage(page: CardPage, id: string): CardPage {
  const index = page.results.findIndex((agent) => agent.id === id)
  if (index === -1) return page
  return { ...page, results: page.results.toSpliced(index, 1), revisions: page.revisions.toSpliced(index, 1) }
}

/** The card stands on top, where the person who moved it looks for it. */
export function withOnTop(column: Column | undefined, { agent, revision }: Card): Column | undefined {
  const [first, ...rest] = without(column, agent.id)?.pages ?? []
  if (column === undefined || first === undefined) return column
  const page = {
    ...first,
    results: [agent, ...first.results],
    revisions: [revision, ...first.revisions],
  }
  return { ...column, pages: [page, ...rest] }
}
