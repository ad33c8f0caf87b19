import type { ServiceStatus } from '../../contract/service.ts'
import type { Outline, Readied } from '../documents/protocol.ts'
import type { Service } from '../service.ts'

export type WatchState = ServiceStatus['state']

/** A document that is in use. */
export interface Adopted extends Readied {
  readonly sinceMs: number
}

interface BreakingChange {
  readonly atMs: number
  readonly fromVersion: string
  readonly toVersion: string
  readonly changes: readonly string[]
}

/** What is known of one service. */
export interface Watch {
  readonly service: Service
  state: WatchState
  sinceMs: number
  /** Why it is in its state. */
  faults: readonly string[]
  /** The last good one. */
  adopted: Adopted | undefined
  /** One that was found good and is about to be adopted. */
  candidate: Readied | undefined
  /** What is to be mounted. The first document that comes is before it has been found good: there is no other that it could
   * take the place of. */
  inUse: Outline | Readied | undefined
  /** Of the last one that was tried out, whatever came of it. */
  triedDigest: string | undefined
  readonly mountedOnce: PromiseWithResolvers<void>
  lastBreakingChange: BreakingChange | undefined
  /** The last one that came, good or broken. */
  seen: { etag: string | undefined; digest: string; faults: readonly string[] } | undefined
}

export function createWatch(service: Service, now: () => number): Watch {
  return {
    service,
    state: 'starting',
    sinceMs: now(),
    faults: [],
    adopted: undefined,
    candidate: undefined,
    inUse: undefined,
    triedDigest: undefined,
    mountedOnce: Promise.withResolvers(),
    lastBreakingChange: undefined,
    seen: undefined,
  }
}
