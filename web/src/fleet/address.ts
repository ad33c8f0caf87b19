import type { AgentFilters } from '@agent-console/sdk'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { findView, useViews } from '../api/views.ts'
import { KEPT, rememberList } from '../shared/left-list.ts'
import { parseSearch, type Search, type Sort, stringifySearch } from '../shared/search.ts'
import type { FleetRow } from './list.ts'
import { type ColumnId, columnsOf, filtersOf, fleetSearch, sortOf, textOf } from './search.ts'

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

/** Opens an agent and remembers the list around it, in which j and k go on. */
export function useOpenAgent(
  rows: readonly FleetRow[],
  search: string,
  total: number | undefined,
): (id: string) => void {
  const navigate = useNavigate()
  const label = findView(useViews(), parseSearch(search))?.name ?? 'Fleet'
  return (id) => {
    const at = rows.findIndex((row) => row.id === id)
    const first = Math.max(0, at - KEPT / 2)
    const ids = rows.slice(first, first + KEPT).map((row) => row.id)
    rememberList({ label, search, ids, first, ...(total === undefined ? {} : { total }) })
    void navigate({ to: '/agents/$id', params: { id } })
  }
}
