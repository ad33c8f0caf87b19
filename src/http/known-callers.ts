import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { TEAM_HEADER } from '../contract/team-header.ts'

/** How long a caller is known after its last request. */
const REMEMBER_MS = 600_000

const MAX_REMEMBERED = 4_000
/** Of all headers that are remembered. */
const MAX_BYTES = 8 * 1024 * 1024

export interface KnownCaller {
  readonly team: string
  readonly user: string | null
  /** When a refusal of it was last logged, in milliseconds of the monotonic clock. */
  loggedAt: number
}

/** The callers whose token was verified. They say to which team a request belongs that has not begun. Nothing may be
 * decided by that except whether, and when, it begins. */
export interface KnownCallers {
  remember: (request: IncomingMessage, caller: Pick<KnownCaller, 'team' | 'user'>) => void
  find: (request: IncomingMessage) => KnownCaller | undefined
}

export function createKnownCallers(): KnownCallers {
  const callers = new LRUCache<string, KnownCaller>({
    // lru-cache starts a timer at each step of its clock.
    ...{ max: MAX_REMEMBERED, ttl: REMEMBER_MS, ttlResolution: 1_000, updateAgeOnGet: true },
    ...{ maxSize: MAX_BYTES, sizeCalculation: (_caller, key) => key.length },
  })
  return {
    remember: (request, { team, user }) =>
      void callers.set(keyOf(request), { team, user, loggedAt: Number.NEGATIVE_INFINITY }),
    find: (request) => callers.get(keyOf(request)),
  }
}

function keyOf({ headers }: IncomingMessage): string {
  // Node joins several headers to one text.
  const team = (headers[TEAM_HEADER] ?? '') as string
  return `${team} ${headers.authorization}`
}
