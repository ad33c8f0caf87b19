import type { AgentFilters } from '@agent-console/sdk'
import type { Search } from '../shared/search.ts'
import { ACCESS, EVALUATION, PROTECTION, PROTOCOL, STAGES, STATUS } from '../shared/words.ts'

export type ListFilter =
  | 'statuses'
  | 'trust_stages'
  | 'protection_statuses'
  | 'evaluation'
  | 'access_levels'
  | 'protocols'
  | 'model_names'
  | 'hubs'
  | 'tags'

interface FilterKind {
  label: string
  /** What people read for each value. Absent: any text is a value. */
  words?: Record<string, string>
}

/** The filters of the API that take several values; an agent matches with any of them. */
export const LIST_FILTERS: Record<ListFilter, FilterKind> = {
  statuses: { label: 'Status', words: STATUS },
  trust_stages: { label: 'Trust stage', words: STAGES },
  protection_statuses: { label: 'Protection', words: PROTECTION },
  evaluation: { label: 'Evaluation', words: EVALUATION },
  model_names: { label: 'Model' },
  tags: { label: 'Tag' },
  access_levels: { label: 'Access', words: ACCESS },
  protocols: { label: 'Protocol', words: PROTOCOL },
  hubs: { label: 'Hub' },
}

export const FILTER_NAMES = Object.keys(LIST_FILTERS) as ListFilter[]

/** The words of an access level end with an explanation; a chip has room for its name only. */
export function wordOf(name: ListFilter, value: string): string {
  const word = LIST_FILTERS[name].words?.[value] ?? value
  return word.split(':')[0] ?? word
}

/** The part of the search that the API filters by. */
export function filtersOf(search: Search): AgentFilters {
  const { q, min_score: score } = search
  const lists = FILTER_NAMES.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]))
  return {
    ...(Object.fromEntries(lists) as AgentFilters),
    ...(typeof q === 'string' ? { q } : {}),
    ...(typeof score === 'string' ? { min_score: Number(score) } : {}),
  }
}

export function hasFilters(search: Search): boolean {
  return Object.keys(filtersOf(search)).length > 0
}
