import type { AgentFacets } from '@agent-console/sdk'
import type { Search } from '../shared/search.ts'
import { countsOf } from './counts.ts'
import { FILTER_NAMES, LIST_FILTERS, type ListFilter, wordOf } from './filters.ts'
import { fleetSearch, textOf, toggled, valuesOf } from './search.ts'

export interface FilterOption {
  key: string
  group: string
  label: string
  /** Absent where the API does not count. */
  count?: number | undefined
  on: boolean
  /** For the glyph. */
  filter?: { name: ListFilter; value: string }
  /** The search after choosing it. */
  next: Search
}

/** With no text, only so many of the values that people choose. */
const FIRST = 5
const FREE: readonly ListFilter[] = ['model_names', 'tags', 'hubs']

/** All filters whose name or value contains the text, and what the text itself can mean. */
export function filterOptions(search: Search, counts: AgentFacets | undefined, text: string): FilterOption[] {
  const wanted = text.trim().toLowerCase()
  const listed = FILTER_NAMES.flatMap((name) => listedOptions(search, counts, name, wanted))
  return [...listed, ...ownOptions(search, text.trim(), listed)]
}

function listedOptions(
  search: Search,
  counts: AgentFacets | undefined,
  name: ListFilter,
  wanted: string,
): FilterOption[] {
  const { label, words } = LIST_FILTERS[name]
  const counted = countsOf(counts, name)
  const chosen = valuesOf(search, name)
  const values =
    words === undefined ? [...new Set([...chosen, ...counted.map(({ value }) => value)])] : Object.keys(words)
  const matching = values.filter((value) => `${label} ${wordOf(name, value)}`.toLowerCase().includes(wanted))
  const shown = words === undefined && wanted === '' ? matching.slice(0, FIRST) : matching
  return shown.map((value) => ({
    key: `${name}/${value}`,
    group: label,
    label: wordOf(name, value),
    count: counted.find((each) => each.value === value)?.count,
    on: chosen.includes(value),
    filter: { name, value },
    next: toggled(search, name, value),
  }))
}

/** A number is a lowest score; other text a model, tag or hub that is not among the most frequent ones. */
function ownOptions(search: Search, text: string, listed: readonly FilterOption[]): FilterOption[] {
  if (text === '') return []
  if (/^\d+(\.\d+)?$/.test(text)) {
    const on = textOf(search, 'min_score') === text
    const next = fleetSearch({ ...search, min_score: on ? undefined : text })
    return [{ key: 'min_score', group: 'Score', label: `At least ${text}`, on, next }]
  }
  return FREE.filter((name) => listed.every(({ key }) => key !== `${name}/${text}`)).map((name) => ({
    key: `own/${name}`,
    group: LIST_FILTERS[name].label,
    label: `“${text}”`,
    on: false,
    next: toggled(search, name, text),
  }))
}
