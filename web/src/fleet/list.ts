import type { AgentFilters } from '@agent-console/sdk'
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
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
  rows: readonly FleetRow[]
  next: string | null
  /** Unix time in milliseconds. */
  loadedAt: number
}

type Pages = InfiniteData<Page, string | undefined>

/**
 * The pages that were scrolled to. They are never read again as a whole, because that would be a request for each
 * page: live changes are read by agent, and the list begins anew when the user asks for it. Therefore the key is not
 * one of those that a live event invalidates.
 */
function listOptions({ filters, sort, tags }: ListQuestion) {
  return infiniteQueryOptions({
    queryKey: ['fleet', { filters, sort, tags }],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const fields = tags ? [...ROW_FIELDS, 'agent_metadata' as const] : [...ROW_FIELDS]
      const loadedAt = Date.now()
      const cursor = pageParam === undefined ? {} : { cursor: pageParam }
      const query = { ...filters, ...cursor, sort, fields, include_scores: true, limit: PAGE }
      const page = await api().agents.list(query, { signal })
      return {
        rows: page.results.map((agent, index) => toRow(agent, page.revisions[index] ?? 1)),
        next: page.next_cursor,
        loadedAt,
      }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    refetchOnReconnect: false,
    placeholderData: keepPreviousData,
  })
}

export function useList(question: ListQuestion) {
  const query = useInfiniteQuery(listOptions(question))
  const { data } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data])
  return { query, rows, loadedAt: data?.pages[0]?.loadedAt }
}

/** Begins the list anew with its first page. */
export function restartList(question: ListQuestion): Promise<void> {
  return queryClient.resetQueries({ queryKey: listOptions(question).queryKey, exact: true })
}

/** Replaces rows in every list that is kept. Their places stay the same. */
export function replaceRows(change: (row: FleetRow) => FleetRow): void {
  queryClient.setQueriesData<Pages>({ queryKey: ['fleet'] }, (data) => {
    if (data === undefined) return undefined
    let differs = false
    const pages = data.pages.map((page) => {
      const rows = page.rows.map(change)
      if (rows.every((row, index) => row === page.rows[index])) return page
      differs = true
      return { ...page, rows }
    })
    return differs ? { ...data, pages } : data
  })
}
