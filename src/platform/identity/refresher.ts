import type { Logger } from 'pino'

export type SourceState = 'up' | 'down' | 'unknown'

export interface RefresherOptions {
  /** What is loaded, for the log. */
  what: string
  load: () => Promise<void>
  /** From this age on, a request starts a load and does not wait for it. */
  refreshAfterMs: number
  /** From this age on, requests wait for the load, unless the source failed to respond within this time. */
  maxAgeMs: number
  /** Loads start at least this long after each other. */
  cooldownMs: number
  now: () => number
  log: Logger
}

/** Without requests there are no loads, and so no news of a source that was down. */
const KNOWN_DOWN_MS = 120_000

/** Keeps a copy of something that another server publishes. Requests start the loads, so that an idle process makes
 * none. A source that is down delays no request while there is a copy. */
export function createRefresher(options: RefresherOptions) {
  const { what, load, refreshAfterMs, maxAgeMs, cooldownMs, now, log } = options
  let attemptedAt = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY
  let state: SourceState = 'unknown'
  let failure: Error | undefined
  let pending: Promise<void> | undefined
  let mustWait = false

  const refresh = (): Promise<void> => {
    pending ??= (async () => {
      attemptedAt = now()
      const startedAt = attemptedAt
      try {
        await load()
        if (state !== 'up') log.info(`loaded ${what}`)
        loadedAt = startedAt
        state = 'up'
        failure = undefined
      } catch (error) {
        if (state !== 'down') log.warn({ err: error }, `cannot load ${what}`)
        state = 'down'
        failure = error as Error
      } finally {
        pending = undefined
        mustWait = false
      }
    })()
    return pending
  }

  /** Never rejects. */
  const refreshUnlessCoolingDown = async () => {
    if (pending || now() - attemptedAt >= cooldownMs) await refresh()
  }

  return {
    refreshUnlessCoolingDown,
    /** Await this before using the copy. Undefined if it can be used at once. */
    keepFresh: (): Promise<void> | undefined => {
      const ageMs = now() - loadedAt
      if (ageMs < refreshAfterMs) return undefined
      // After a long idle time it is not known whether the source responds.
      const mayRespond = state !== 'down' || now() - attemptedAt >= maxAgeMs
      if (ageMs >= maxAgeMs && mayRespond) mustWait = true
      const refreshed = refreshUnlessCoolingDown()
      return mustWait ? refreshed : undefined
    },
    ageMs: () => now() - loadedAt,
    /** Unknown again when no request has used the copy for some time. */
    state: (): SourceState => (state === 'down' && now() - attemptedAt >= KNOWN_DOWN_MS ? 'unknown' : state),
    /** Why the last load failed. */
    failure: () => failure,
  }
}
