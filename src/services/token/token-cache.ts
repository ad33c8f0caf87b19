import { LRUCache } from 'lru-cache'
import type { Caller } from '../../platform/identity/identity.ts'

/** The caller of a mounted operation. */
export type MountedCaller = Caller & {
  /** The caller's own token. */
  token: string
  permissions: ReadonlySet<string>
}

/** Returns the token that a service gets for a call. */
export type ServiceToken = (caller: MountedCaller) => string | Promise<string>

export interface MadeToken {
  token: string
  usableUntilMs: number
}

interface Entry {
  token: string | Promise<string>
  usableUntilMs: number
}

/** How long a failure is the result of further calls of the same caller. */
const FAILURE_MS = 1_000
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024

/** Keeps the tokens that were made for one service, by caller. Calls that need the same token at the same time share one. */
export function cacheTokens(
  make: (caller: MountedCaller) => Promise<MadeToken>,
  now: () => number,
): ServiceToken {
  const cache = new LRUCache<string, Entry>({
    maxSize: MAX_CACHED_CHARACTERS,
    // The token for the service is about as long as the caller's.
    sizeCalculation: (_entry, key) => 2 * key.length,
  })

  return (caller) => {
    // A token may be good for several teams.
    const key = `${caller.teamId} ${caller.token}`
    const known = cache.get(key)
    if (known && now() < known.usableUntilMs) return known.token
    const entry: Entry = { token: '', usableUntilMs: Number.POSITIVE_INFINITY }
    const making = make(caller).then(
      (made) => {
        Object.assign(entry, made)
        return made.token
      },
      (error: unknown) => {
        entry.usableUntilMs = now() + FAILURE_MS
        throw error
      },
    )
    entry.token = making
    cache.set(key, entry)
    return making
  }
}
