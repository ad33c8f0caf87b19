import type { AgentFilters } from '@agent-console/sdk'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
import { type Loaded, listQuery, rowsOf } from '../api/list.ts'
import { queryClient } from '../api/query-client.ts'
import type { Sort } from '../shared/sorts.ts'
import { type FleetRow, ROW_FIELDS, toRow } from './row.ts'

const PAGE = 200
const KEPT_MS = 30 * 60_000

export interface ListQuestion {
  filters: AgentFilters
  sort: Sort
  tags: boolean
}

interface Page {
  results: readonly FleetRow[]
  next_cursor: string | null
  /** Unix time in milliseconds. */
  loadedAt: number
}

/**
 * The pages that were scrolled to. They are never read again as a whole, because that would be a request for each
 * page: live changes are read by agent, and the list begins anew when the user asks for it. Therefore the key is not
 * one of those that a live event invalidates.
 */
function listOptions({ filters, sort, tags }: ListQuestion) {
  const fields = tags ? [...ROW_FIELDS, 'agent_metadata' as const] : [...ROW_FIELDS]
  return {
    ...listQuery(['fleet', { filters, sort, tags }], async (cursor, signal): Promise<Page> => {
      const loadedAt = Date.now()
      const query = { ...filters, ...cursor, sort, fields, include_scores: true, limit: PAGE }
      const { results, revisions, next_cursor } = await api().agents.list(query, { signal })
      return {
        results: results.map((agent, index) => toRow(agent, revisions[index] ?? 1)),
        next_cursor,
        loadedAt,
      }
    }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    refetchOnReconnect: false,
    placeholderData: keepPreviousData,
  }
}

export function useList(question: ListQuestion) {
  const query = useInfiniteQuery(listOptions(question))
  const { data } = query
  const rows = useMemo(() => rowsOf(data), [data])
  return { query, rows, loadedAt: data?.pages[0]?.loadedAt }
}

/** Begins the list anew with its first page. */
export function restartList(question: ListQuestion): Promise<void> {
  return queryClient.resetQueries({ queryKey: listOptions(question).queryKey, exact: true })
}

/** Replaces rows in every list that is kept. Their places stay the same. */
export function replaceRows(change: (row: FleetRow) => FleetRow): void {
  queryClient.setQueriesData<Loaded<Page>>({ queryKey: ['fleet'] }, (data) => {
    if (data === undefined) return undefined
    let differs = false
    const pages = data.pages.map((page) => {
      const rows = page.results.map(change)
      if (rows.every((row, index) => row === page.results[index])) return page
      differs = true
      return { ...page, results: rows }
    })
    return differs ? { ...data, pages } : data
  })
}
