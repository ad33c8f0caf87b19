/** A completed evaluation, as far as its place in time matters. */
export interface Evaluated {
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
