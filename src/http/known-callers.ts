import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { TEAM_HEADER } from '../contract/team-header.ts'

/** How long a caller is known after its token was verified. */
const REMEMBER_MS = 10_000

const MAX_REMEMBERED = 4_000

export interface KnownCaller {
  readonly team: string
  /** When its token was last verified, in milliseconds of the monotonic clock. */
  readonly verifiedAt: number
}

/** The callers whose token was verified a moment ago. They say to which team a request belongs that has not begun. Nothing may be
 * decided by that except whether, and when, it begins. */
export interface KnownCallers {
  remember: (request: IncomingMessage, team: string) => void
  find: (request: IncomingMessage) => KnownCaller | undefined
}

export function createKnownCallers(): KnownCallers {
  const callers = new LRUCache<string, KnownCaller>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS })
  return {
    remember: (request, team) => void callers.set(keyOf(request), { team, verifiedAt: performance.now() }),
    find: (request) => callers.get(keyOf(request)),
  }
}

function keyOf({ headers }: IncomingMessage): string {
  // Node joins several headers to one text.
  const team = (headers[TEAM_HEADER] ?? '') as string
  return `${team} ${headers.authorization}`
}
