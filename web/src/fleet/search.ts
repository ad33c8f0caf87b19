import type { AgentFilters } from '@agent-console/sdk'
import { DEFAULT_SORT, isSort, type Search, type Sort } from '../shared/search.ts'
import { ACCESS, EVALUATION, PROTECTION, PROTOCOL, STAGES, STATUS } from '../shared/words.ts'

const MAX_VALUES = 20
const MAX_TEXT = 255

/** What the address of this page may hold: the parameters of the API, and the columns. Others are dropped. */
export function fleetSearch(raw: Search): Search {
  const search: Search = {}
  for (const [name, { words }] of Object.entries(LIST_FILTERS)) {
    const values = [...new Set(listOf(raw[name]))].filter(
      (value) => value.length <= MAX_TEXT && (words === undefined || Object.hasOwn(words, value)),
    )
    search[name] = values.length === 0 ? undefined : values.slice(0, MAX_VALUES)
  }
  const [q = ''] = listOf(raw['q'])
  search['q'] = q.trim() === '' ? undefined : q.slice(0, MAX_TEXT)
  const [score = ''] = listOf(raw['min_score'])
  search['min_score'] = /^\d+(\.\d+)?$/.test(score) ? score : undefined
  const [sort = ''] = listOf(raw['sort'])
  search['sort'] = isSort(sort) ? sort : undefined
  const columns = COLUMN_IDS.filter((id) => listOf(raw['columns']).includes(id))
  search['columns'] = columns.length === 0 ? undefined : columns
  return search
}

export function valuesOf(search: Search, name: ListFilter): readonly string[] {
  return listOf(search[name])
}

export function textOf(search: Search, name: 'q' | 'min_score' | 'sort'): string | undefined {
  return listOf(search[name])[0]
}

function listOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** The search without any filter; order and columns stay. */
export function withoutFilters({ sort, columns }: Search): Search {
  return fleetSearch({ sort, columns })
}

/** The search with the value added to the filter, or taken from it. */
export function toggled(search: Search, name: ListFilter, value: string): Search {
  const values = valuesOf(search, name)
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  return fleetSearch({ ...search, [name]: next })
}

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

/** The columns in their order, named as the fields of the API, so that saved views can hold them. */
export const COLUMN_IDS = [
  'agent_name',
  'model_name',
  'status',
  'trust_stage',
  'protection_status',
  'latest_evaluation.overall_score',
  'updated_at',
  'created_at',
  'created_by',
  'access_level',
  'protocol',
  'hub',
  'agent_metadata.tags',
] as const

export type ColumnId = (typeof COLUMN_IDS)[number]

const DEFAULT_COLUMNS: readonly ColumnId[] = COLUMN_IDS.slice(0, 7)

/** The name is always shown: it is the way to the agent. */
export function columnsOf(value: string | string[] | undefined): readonly ColumnId[] {
  if (!Array.isArray(value)) return DEFAULT_COLUMNS
  return COLUMN_IDS.filter((id) => id === 'agent_name' || value.includes(id))
}

/** undefined: as by default, so that the address stays short. */
export function columnsParameter(columns: readonly ColumnId[]): string[] | undefined {
  const isDefault =
    columns.length === DEFAULT_COLUMNS.length && DEFAULT_COLUMNS.every((id) => columns.includes(id))
  return isDefault ? undefined : COLUMN_IDS.filter((id) => columns.includes(id))
}

export function sortOf(value: string | undefined): Sort {
  return isSort(value) ? value : DEFAULT_SORT
}

/** For the header of a column: what the next click makes of the order. */
export function nextSort(current: Sort, column: 'agent_name' | 'score' | 'created_at'): Sort {
  if (current === column) return `-${column}`
  if (current === `-${column}`) return column
  return column === 'agent_name' ? 'agent_name' : `-${column}`
}

export function sortedBy(current: Sort, column: string): 'ascending' | 'descending' | undefined {
  if (current === column) return 'ascending'
  return current === `-${column}` ? 'descending' : undefined
}
