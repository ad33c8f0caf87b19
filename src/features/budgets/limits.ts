import { LRUCache } from 'lru-cache'
import type { Sql } from '../../platform/postgres/database.ts'
import { named } from '../../platform/postgres/sql.ts'

/** Undefined if the team has no such agent. */
type ReadLimit = (teamId: string, agentId: string) => Promise<number | undefined>

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

/** Remembers the limits of agents, so that a request usually reads nothing from the database. */
export class AgentLimits {
  readonly #read: ReadLimit
  readonly #now: () => number
  readonly #known: LRUCache<string, Known>
  readonly #unknown: LRUCache<string, true>
  /** One read for all requests that need the same limit at the same time. */
  readonly #reading = new Map<string, Promise<number | undefined>>()

  /** `now`: milliseconds on a clock that never goes back. */
  constructor(read: ReadLimit, now: () => number) {
    const perf = { now }
    this.#read = read
    this.#now = now
    this.#known = new LRUCache({ max: MAX_AGENTS, ttl: KEPT_MS, perf })
    this.#unknown = new LRUCache({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS, perf })
  }

  /** The requests per minute of an agent; undefined if the team has no such agent. Rejects if it is not known and
   * cannot be read. */
  async find(teamId: string, agentId: string): Promise<number | undefined> {
    const key = `${teamId}:${agentId}`
    const last = this.#known.get(key)
    if (last && this.#now() - last.readAt < FRESH_MS) return last.limit
    if (this.#unknown.has(key)) return undefined
    try {
      return await this.#readOnce(key, teamId, agentId)
    } catch (error) {
      if (last) return last.limit
      throw error
    }
  }

  /** The agent has changed. */
  forget(teamId: string, agentId: string): void {
    const key = `${teamId}:${agentId}`
    this.#known.delete(key)
    this.#unknown.delete(key)
    this.#reading.delete(key)
  }

  #readOnce(key: string, teamId: string, agentId: string): Promise<number | undefined> {
    const pending = this.#reading.get(key)
    if (pending) return pending
    const started = this.#read(teamId, agentId)
      .then((limit) => {
        // Not if the agent has changed since the read began.
        if (this.#reading.get(key) === started) this.#store(key, limit)
        return limit
      })
      .finally(() => {
        if (this.#reading.get(key) === started) this.#reading.delete(key)
      })
    this.#reading.set(key, started)
    return started
  }

  #store(key: string, limit: number | undefined): void {
    if (limit === undefined) {
      this.#known.delete(key)
      this.#unknown.set(key, true)
    } else {
      this.#unknown.delete(key)
      this.#known.set(key, { limit, readAt: this.#now() })
    }
  }
}

/** Undefined if the team has no such agent. */
export async function readLimit(sql: Sql, teamId: string, agentId: string): Promise<number | undefined> {
  const [row] = await sql.read<{ rate_limit_requests_per_minute: number }>(named('find-request-limit')`
SELECT rate_limit_requests_per_minute FROM agents WHERE team_id = ${teamId} AND id = ${agentId}`)
  return row?.rate_limit_requests_per_minute
}
