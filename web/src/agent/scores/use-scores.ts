import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { nowSeconds } from '../../shared/time.ts'
import { type Band, bandsOf } from './bands.ts'
import { firstRange, mergeSeries, type ScoredEvaluation } from './evaluations.ts'
import { behaviourChangesQuery, seriesQuery } from './queries.ts'

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
