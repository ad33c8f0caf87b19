import type { AgentFilters } from '@agent-console/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type Search, stringifySearch } from '../shared/search.ts'
import type { Sort } from '../shared/sorts.ts'
import { type ColumnId, columnsOf } from './column-ids.ts'
import { filtersOf } from './filters.ts'
import { fleetSearch, textOf } from './search.ts'
import { sortOf } from './sorts.ts'

const route = getRouteApi('/agents')

export interface FleetAddress {
  search: Search
  filters: AgentFilters
  sort: Sort
  columns: readonly ColumnId[]
  /** The whole search as text: equal texts are equal lists. */
  text: string
  /** `replace`: without an entry in the history, for text that is being typed. */
  go: (search: Search, options?: { replace?: boolean }) => void
}

/** The address decides what the page shows; nothing else does. */
export function useFleetSearch(): FleetAddress {
  const raw: Search = route.useSearch()
  const text = stringifySearch(fleetSearch(raw))
  const navigate = route.useNavigate()
  const go = useCallback<FleetAddress['go']>(
    (search, { replace = false } = {}) => void navigate({ search, replace, resetScroll: false }),
    [navigate],
  )
  // The router makes a new object with every navigation; the text says whether it differs.
  const search = useMemo(() => fleetSearch(raw), [text])
  return useMemo(
    () => ({
      search,
      filters: filtersOf(search),
      sort: sortOf(textOf(search, 'sort')),
      columns: columnsOf(search['columns']),
      text,
      go,
    }),
    [search, text, go],
  )
}
