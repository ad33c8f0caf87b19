import type { BudgetUse, Priority } from '../contract/request-budget.ts'

/** Permits that were taken are counted in buckets of some minutes, by source: a text that names the priority and the caller. */

/** Who takes permits: a mounted service, or an application with a token. */
export interface Source {
  readonly service: string | null
  readonly clientId: string | null
}

const BUCKET_SECONDS = 300
/** The last hour and the bucket that is not full yet. */
const BUCKETS = 13
export const USE_KEPT_SECONDS = BUCKETS * BUCKET_SECONDS

/** More sources of an agent than this count as an application without a name. */
export const MAX_SOURCES = 100

const MAX_CLIENT_ID_LENGTH = 128

/** The bucket of a time, as the Unix time of its start. */
export function bucketOf(nowMs: number): number {
  return Math.floor(nowMs / 1_000 / BUCKET_SECONDS) * BUCKET_SECONDS
}

/** The buckets of the last hour, oldest first. */
export function recentBuckets(nowMs: number): number[] {
  const newest = bucketOf(nowMs)
  return Array.from({ length: BUCKETS }, (_, index) => newest - (BUCKETS - 1 - index) * BUCKET_SECONDS)
}

export function sourceText(priority: Priority, { service, clientId }: Source): string {
  if (service !== null) return `${priority}:s:${service}`
  return `${priority}:c:${(clientId ?? '').slice(0, MAX_CLIENT_ID_LENGTH)}`
}

export function otherSources(priority: Priority): string {
  return sourceText(priority, { service: null, clientId: null })
}

/** Adds up the counts of all buckets, the largest number first. */
export function toUse(counts: Iterable<readonly [source: string, permits: number]>): BudgetUse[] {
  const totals = new Map<string, number>()
  for (const [source, permits] of counts) totals.set(source, (totals.get(source) ?? 0) + permits)
  return [...totals]
    .filter(([, permits]) => permits > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([source, permits]) => {
      const [, priority, kind, name = ''] = /^(\w+):([sc]):(.*)$/s.exec(source) ?? []
      return {
        service: kind === 's' ? name : null,
        client_id: kind === 'c' && name !== '' ? name : null,
        priority: priority as Priority,
        permits,
      }
    })
}
