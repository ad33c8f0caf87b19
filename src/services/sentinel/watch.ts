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
  /** One that is about to be adopted. */
  candidate: Readied | undefined
  /** Of the first one that came, which is mounted before it has been found good: there is nothing that it could break. */
  outline: Outline | undefined
  isMounted: boolean
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
    outline: undefined,
    isMounted: false,
    mountedOnce: Promise.withResolvers(),
    lastBreakingChange: undefined,
    seen: undefined,
  }
}
