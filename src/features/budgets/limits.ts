import { LRUCache } from 'lru-cache'
import type { Sql } from '../../platform/postgres/database.ts'
import { named } from '../../platform/postgres/sql.ts'

export interface Limits {
  /** The requests per minute of an agent; undefined if the team has no such agent. Rejects if it is not known and
   * cannot be read. */
  find: (teamId: string, agentId: string) => Promise<number | undefined>
  /** The agent has changed. */
  forget: (teamId: string, agentId: string) => void
}

export interface LimitsOptions {
  read: (teamId: string, agentId: string) => Promise<number | undefined>
  /** Milliseconds on a clock that never goes back. */
  now: () => number
}

interface Known {
  limit: number
  readAt: number
}

const MAX_AGENTS = 10_000
/** How long a limit is used without reading it again. Its event removes it earlier. */
const FRESH_MS = 10_000
/** An older limit is used while the database does not respond. */
const KEPT_MS = 3_600_000

/** In a cache of their own: ids that do not exist must not push out those that do. */
const MAX_UNKNOWN = 1_000
const UNKNOWN_MS = 2_000

/** Remembers limits, so that a request usually reads nothing from the database. */
export function createLimits({ read, now }: LimitsOptions): Limits {
  const perf = { now }
  const known = new LRUCache<string, Known>({ max: MAX_AGENTS, ttl: KEPT_MS, perf })
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS, perf })
  /** One read for all requests that need the same limit at the same time. */
  const reading = new Map<string, Promise<number | undefined>>()

  const store = (key: string, limit: number | undefined) => {
    if (limit === undefined) {
      known.delete(key)
      unknown.set(key, true)
    } else {
      unknown.delete(key)
      known.set(key, { limit, readAt: now() })
    }
  }
  const readOnce = (key: string, teamId: string, agentId: string) => {
    const pending = reading.get(key)
    if (pending) return pending
    const started = read(teamId, agentId)
      .then((limit) => {
        // Not if the agent has changed since the read began.
        if (reading.get(key) === started) store(key, limit)
        return limit
      })
      .finally(() => {
        if (reading.get(key) === started) reading.delete(key)
      })
    reading.set(key, started)
    return started
  }

  return {
    find: async (teamId, agentId) => {
      const key = `${teamId}:${agentId}`
      const last = known.get(key)
      if (last && now() - last.readAt < FRESH_MS) return last.limit
      if (unknown.has(key)) return undefined
      try {
        return await readOnce(key, teamId, agentId)
      } catch (error) {
        if (last) return last.limit
        throw error
      }
    },
    forget: (teamId, agentId) => {
      const key = `${teamId}:${agentId}`
      known.delete(key)
      unknown.delete(key)
      reading.delete(key)
    },
  }
}

/** Undefined if the team has no such agent. */
export async function readLimit(sql: Sql, teamId: string, agentId: string): Promise<number | undefined> {
  const [row] = await sql.read<{ rate_limit_requests_per_minute: number }>(named('find-request-limit')`
SELECT rate_limit_requests_per_minute FROM agents WHERE team_id = ${teamId} AND id = ${agentId}`)
  return row?.rate_limit_requests_per_minute
}
