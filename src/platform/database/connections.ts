import type { ClientBase, Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { databaseUnavailable } from './errors.ts'
import type { Failover } from './failover.ts'
import { createPool } from './pool.ts'
import { createPoolerCheck, POOLER_HELP } from './pooler.ts'
import { identifyServer } from './server-identity.ts'
import { createPoolStatistics, type PoolStatistics } from './statistics.ts'

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
