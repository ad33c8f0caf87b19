import type { Agent, AgentFilters } from '@agent-console/sdk'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, type Loaded, listQuery, queryClient, rowsOf } from '../api/client.ts'
import type { Sort } from '../shared/search.ts'

const PAGE = 200
const KEPT_MS = 30 * 60_000

interface ListQuestion {
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

const TINT_MS = 1000

/** One line of the fleet. Flat and never changed in place, so that a row is drawn again only if it differs. */
export interface FleetRow {
  id: string
  name: string
  purpose: string | null
  model: string
  status: string
  stage: string
  protection: string
  access: string
  protocol: string
  hub: string | null
  /** Empty unless the column is shown. */
  tags: readonly string[]
  createdBy: string
  createdAt: number
  updatedAt: number
  revision: number
  /** null: never evaluated. */
  score: number | null
  outdated: boolean
  /** Revisions since the evaluated one; undefined where the evaluation names no revision. */
  behind: number | undefined
  /** How often a live change was drawn; each one tints the row once. */
  changes: number
  /** When the last one was drawn, Unix time in milliseconds. */
  changedAt: number
  deleted: boolean
}

const ROW_FIELDS = [
  'agent_name',
  'purpose',
  'model_name',
  'status',
  'trust_stage',
  'protection_status',
  'access_level',
  'protocol',
  'hub',
  'created_by',
  'created_at',
  'updated_at',
  'latest_evaluation',
] as const satisfies readonly (keyof Agent)[]

type RowAgent = Pick<Agent, 'id' | (typeof ROW_FIELDS)[number]> & Partial<Pick<Agent, 'agent_metadata'>>

export function toRow(agent: RowAgent, revision: number): FleetRow {
  const { latest_evaluation: evaluation } = agent
  const evaluated = evaluation?.revision
  const outdated = evaluation?.current === false
  return {
    id: agent.id,
    name: agent.agent_name,
    purpose: agent.purpose === '' ? null : agent.purpose,
    model: agent.model_name,
    status: agent.status ?? 'active',
    stage: agent.trust_stage,
    protection: agent.protection_status,
    access: agent.access_level ?? '',
    protocol: agent.protocol ?? '',
    hub: agent.hub,
    tags: tagsOf(agent.agent_metadata),
    createdBy: agent.created_by,
    createdAt: agent.created_at,
    updatedAt: agent.updated_at,
    revision,
    score: evaluation?.overall_score ?? null,
    outdated,
    behind: outdated && typeof evaluated === 'number' ? revision - evaluated : undefined,
    changes: 0,
    changedAt: 0,
    deleted: false,
  }
}

/** Two names for the same animation: a second change starts it again, a row that comes into view later does not. */
export function tintOf({ changes, changedAt }: FleetRow): 'tint0' | 'tint1' | undefined {
  if (Date.now() - changedAt >= TINT_MS) return undefined
  return changes % 2 === 0 ? 'tint0' : 'tint1'
}

function tagsOf(metadata: unknown): readonly string[] {
  const tags = (metadata as { tags?: unknown } | null | undefined)?.tags
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : []
}
