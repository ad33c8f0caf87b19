import type { ClientBase } from 'pg'
import type { ServerIdentity } from './server-identity.ts'

/** Decides which connections to a database may still be used. Shared by all pools of the database: when one connection
 * is lost or read-only, the primary may have changed, and then every connection opened before leads to the old one. */
export interface Failover {
  /** Called with each new connection. Throws if it leads to a former primary. */
  admit: (client: ClientBase, server: ServerIdentity | undefined) => void
  isCurrent: (client: ClientBase) => boolean
  /** A connection was lost or is read-only: those opened before now must not be used again. */
  suspect: () => void
}

/** While a database stays read-only, every write suspects a failover. Reads need not connect anew for each of them. */
const MIN_INTERVAL_MS = 1_000

export function createFailover(now: () => number = () => performance.now()): Failover {
  const generations = new WeakMap<ClientBase, number>()
  let generation = 0
  let suspectedAt = Number.NEGATIVE_INFINITY
  let newest: { system: string; timeline: number } | undefined

  const advance = () => {
    generation++
    suspectedAt = now()
  }

  const compare = ({ system, timeline: text }: ServerIdentity) => {
    if (text === null) return
    const timeline = Number.parseInt(text, 16)
    if (newest?.system === system && timeline < newest.timeline)
      throw new Error(`The server is a former primary: its timeline is ${timeline}, not ${newest.timeline}`)
    const isFirst = newest === undefined
    const hasMoved = newest?.system !== system || timeline > newest.timeline
    newest = { system, timeline }
    if (!isFirst && hasMoved) advance()
  }

  return {
    admit: (client, server) => {
      if (server) compare(server)
      generations.set(client, generation)
    },
    isCurrent: (client) => generations.get(client) === generation,
    suspect: () => {
      if (now() - suspectedAt >= MIN_INTERVAL_MS) advance()
    },
  }
}
