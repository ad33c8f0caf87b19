import type { Search } from '../shared/search.ts'
import { isSort } from '../shared/sorts.ts'
import { COLUMN_IDS } from './column-ids.ts'
import { LIST_FILTERS, type ListFilter } from './filters.ts'

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
