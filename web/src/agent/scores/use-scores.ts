import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, keys } from '../../api/client.ts'
import { nowSeconds } from '../../shared/format.ts'
import { bearsOnBehaviour } from '../fields/labels.ts'
import {
  type Band,
  type BehaviourChange,
  bandsOf,
  firstRange,
  METRICS,
  mergeSeries,
  type ScoredEvaluation,
} from './evaluations.ts'

export type Range = '30' | '90' | 'all'
const DAY = 24 * 3600

export interface Scores {
  evaluations: ScoredEvaluation[]
  bands: Band[]
  /** false: the history is so long that old bands are missing. */
  complete: boolean
  /** The span of the chart. */
  from: number
  to: number
}

interface ScoresResult {
  /** The span that is shown. */
  range: Range
  /** undefined: not loaded yet. */
  scores: Scores | undefined
  error: Error | null
  retry: () => void
}

/** `chosen` is undefined until the user chooses a span. */
export function useScores(id: string, chosen: Range | undefined): ScoresResult {
  const [now] = useState(nowSeconds)
  const all = useQuery(seriesQuery(id, undefined))
  const known = useMemo(() => all.data && mergeSeries(all.data), [all.data])
  const range = chosen ?? (known === undefined ? '90' : firstRange(known, now))
  const since = range === 'all' ? undefined : now - Number(range) * DAY
  // A long series has fewer points than evaluations; a span of it is read by itself.
  const thinned = all.data?.some(({ count, points }) => count > points.length) === true
  const part = useQuery({ ...seriesQuery(id, since), enabled: thinned && since !== undefined })
  const series = (thinned && since !== undefined ? part.data : undefined) ?? all.data
  const oldest = known?.[0]
  const changes = useQuery({
    ...behaviourChangesQuery(id, oldest?.revision ?? 0),
    enabled: oldest !== undefined,
  })
  const scores = useMemo(() => {
    if (series === undefined || (oldest !== undefined && changes.data === undefined)) return undefined
    const evaluations = mergeSeries(series)
    const first = evaluations[0]?.completed_at ?? now
    const start = first - Math.max(DAY / 4, (now - first) * 0.03)
    return {
      evaluations,
      bands: bandsOf(evaluations, changes.data?.changes ?? [], now),
      complete: changes.data?.complete ?? true,
      from: since ?? start,
      to: now,
    }
  }, [series, oldest, changes.data, now, since])
  return {
    range,
    scores,
    error: all.error ?? part.error ?? changes.error,
    retry: () => void Promise.all([all.refetch(), changes.refetch()]),
  }
}

/** `since`: Unix time in seconds; undefined: all. */
function seriesQuery(id: string, since: number | undefined) {
  return queryOptions({
    queryKey: [...keys.evaluations(id), 'series', since ?? 'all'],
    queryFn: ({ signal }) =>
      Promise.all(
        METRICS.map(({ metric }) =>
          api().agents.evaluationSeries(
            id,
            { metric, ...(since === undefined ? {} : { since }) },
            { signal },
          ),
        ),
      ),
  })
}

const PAGE = 500
/** An agent may have 100,000 revisions; bands older than these are not drawn. */
const MAX_PAGES = 4

interface BehaviourChanges {
  /** In ascending order. */
  changes: BehaviourChange[]
  /** false: there are older ones that were not read. */
  complete: boolean
}

/** The revisions after `since` that changed the behaviour of the agent. */
function behaviourChangesQuery(id: string, since: number) {
  return queryOptions({
    queryKey: [...keys.revisions(id), 'behaviour', since],
    queryFn: async ({ signal }): Promise<BehaviourChanges> => {
      const changes: BehaviourChange[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
        const { results, next_cursor: next } = await api().agents.revisions(id, query, { signal })
        changes.push(
          ...results.filter(({ revision, fields }) => revision > since && fields.some(bearsOnBehaviour)),
        )
        if (next === null || (results.at(-1)?.revision ?? 0) <= since) {
          return { changes: changes.toReversed(), complete: true }
        }
        cursor = next
      }
      return { changes: changes.toReversed(), complete: false }
    },
  })
}
