import { type ClientBase, type CustomTypesConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'
import { createPoolStatistics, databaseUnavailable, type PoolStatistics } from './errors.ts'
import { createPoolerCheck, identifyServer, POOLER_HELP, type ServerIdentity } from './pooler.ts'

/** A pool whose connections leave it as soon as they are known to lead to a server that is no longer the primary. */
export interface Connections {
  pool: Pool
  failover: Failover
  statistics: PoolStatistics
  take: () => Promise<PoolClient>
  /** Whether a named statement can be used again on this connection. */
  keepsStatements: (client: PoolClient) => boolean
  /** A connection that is lost leaves the pool. */
  giveBack: (client: PoolClient, isLost: boolean) => void
}

export interface ConnectionOptions extends PoolConfig {
  connectionTimeoutMillis: number
}

export function createConnections(options: ConnectionOptions, failover: Failover, log: Logger): Connections {
  const poolers = createPoolerCheck(log)
  const inspect = async (client: ClientBase) => {
    const server = await identifyServer(client, options.connectionTimeoutMillis)
    failover.admit(client, server)
    await poolers.admit(client, server)
  }
  // The pool waits for it, although its type does not say so.
  const onConnect = inspect as (client: ClientBase) => void
  const pool = createPool({ ...options, onConnect }, log)
  const statistics = createPoolStatistics(pool)
  let lastFailure = ''

  const logOnce = (error: Error) => {
    const { message } = error
    const help = message.startsWith('unsupported startup parameter') ? `; ${POOLER_HELP}` : ''
    if (message !== lastFailure) log.warn({ err: error }, `cannot connect to the database${help}`)
    lastFailure = message
  }
  const takeCurrent = async () => {
    for (;;) {
      const client = await pool.connect()
      lastFailure = ''
      if (failover.isCurrent(client)) return client
      client.release(true)
    }
  }
  // An idle connection broke.
  pool.on('error', () => {
    statistics.lost++
    failover.suspect()
  })

  return {
    pool,
    failover,
    statistics,
    keepsStatements: poolers.keepsStatements,
    take: () =>
      takeCurrent().catch((error: Error) => {
        statistics.refused++
        logOnce(error)
        throw databaseUnavailable(error)
      }),
    giveBack: (client, isLost) => {
      if (isLost) {
        statistics.lost++
        failover.suspect()
      }
      client.release(isLost || !failover.isCurrent(client))
    },
  }
}

const INT8 = 20

const typeParsers: CustomTypesConfig = {
  // pg returns int8 as text. Our times and revisions are far below 2^53.
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as never,
}

/** A pool of connections with a time limit for every wait. */
export function createPool(options: PoolConfig, log: Logger): Pool {
  const pool = new Pool({
    types: typeParsers,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: 8_000,
    keepAlive: true,
    ...options,
  })
  // Without an error listener, a connection that breaks in use would end the process.
  pool.on('connect', (client) => {
    const { application_name: application } = options
    client.on('error', (error) => log.warn({ err: error, application }, 'lost a database connection'))
  })
  pool.on('error', () => {})
  return pool
}

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
