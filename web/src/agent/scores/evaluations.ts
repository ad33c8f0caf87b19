import type { EvaluationSeries } from '@agent-console/sdk'

/** In the order of the legend. The class gives the colour of the line. */
export const METRICS = [
  { metric: 'overall_score', label: 'Overall', line: 'c1' },
  { metric: 'reliability_score', label: 'Reliability', line: 'c2' },
  { metric: 'safety_score', label: 'Safety', line: 'c4' },
  { metric: 'security_score', label: 'Security', line: 'c3' },
] as const

type Metric = (typeof METRICS)[number]['metric']

/** One evaluation with the scores that it has. */
export interface ScoredEvaluation extends Evaluated {
  evaluation_id: string
  scores: Partial<Record<Metric, number>>
}

/** Puts the series of the scores together, in the order of time. A long series comes with fewer points. */
export function mergeSeries(series: readonly EvaluationSeries[]): ScoredEvaluation[] {
  const merged = new Map<string, ScoredEvaluation>()
  for (const { metric, points } of series) {
    for (const { evaluation_id: id, completed_at: at, revision, value } of points) {
      const known = merged.get(id) ?? { evaluation_id: id, completed_at: at, revision, scores: {} }
      known.scores[metric] = value
      merged.set(id, known)
    }
  }
  return [...merged.values()].toSorted((one, other) => one.completed_at - other.completed_at)
}

const DAYS_90 = 90 * 24 * 3600

/** The span to begin with: one evaluation alone would not show how the scores move. */
export function firstRange(evaluations: readonly ScoredEvaluation[], now: number): '90' | 'all' {
  const recent = evaluations.filter(({ completed_at: at }) => at >= now - DAYS_90)
  return recent.length < 2 ? 'all' : '90'
}

interface Point {
  at: number
  value: number
}

/**
 * The points of one score between two times. The last one before them is kept, so that the line comes in
 * from the left edge, and the last value goes on to the right edge.
 */
export function pointsBetween(
  evaluations: readonly ScoredEvaluation[],
  metric: Metric,
  from: number,
  to: number,
): Point[] {
  const points = evaluations.flatMap(({ completed_at: at, scores }) => {
    const value = scores[metric]
    return value === undefined || at > to ? [] : [{ at, value }]
  })
  const first = points.findIndex(({ at }) => at >= from)
  const shown = first === -1 ? points.slice(-1) : points.slice(Math.max(0, first - 1))
  const last = shown.at(-1)
  return last === undefined || last.at >= to ? shown : [...shown, { at: to, value: last.value }]
}

/** The evaluation nearest to a time. */
export function nearest(evaluations: readonly ScoredEvaluation[], at: number): ScoredEvaluation | undefined {
  let found: ScoredEvaluation | undefined
  for (const each of evaluations) {
    if (found === undefined || Math.abs(each.completed_at - at) < Math.abs(found.completed_at - at))
      found = each
  }
  return found
}

/** A completed evaluation, as far as its place in time matters. */
interface Evaluated {
  completed_at: number
  revision: number
}

/** A revision that changed a field which bears on behaviour. */
export interface BehaviourChange {
  revision: number
  changed_at: number
}

/** A span of time in which the latest score no longer held. */
export interface Band {
  from: number
  to: number
  /** The revision that ended the score. */
  revision: number
}

/**
 * A score holds from its evaluation until the first revision after the evaluated one that changes behaviour.
 * It is outdated from then until the next evaluation, or until `now`. An evaluation of an old revision may be
 * outdated when it completes. Both lists are in ascending order.
 */
export function bandsOf(
  evaluations: readonly Evaluated[],
  changes: readonly BehaviourChange[],
  now: number,
): Band[] {
  const bands: Band[] = []
  for (const [index, { completed_at: completedAt, revision }] of evaluations.entries()) {
    const change = changes.find((each) => each.revision > revision)
    if (change === undefined) continue
    const from = Math.max(change.changed_at, completedAt)
    const to = evaluations[index + 1]?.completed_at ?? Math.max(now, from)
    if (from >= to) continue
    const last = bands.at(-1)
    if (last?.revision === change.revision && last.to === from) last.to = to
    else bands.push({ from, to, revision: change.revision })
  }
  return bands
}

export interface CutBand extends Band {
  /** The revision was saved before the first time: the band has no left edge. */
  isOpen: boolean
}

/** The part of each band between two times. */
export function cutBands(bands: readonly Band[], from: number, to: number): CutBand[] {
  return bands
    .filter((band) => band.to > from && band.from < to)
    .map((band) => ({
      ...band,
      from: Math.max(band.from, from),
      to: Math.min(band.to, to),
      isOpen: band.from < from,
    }))
}
