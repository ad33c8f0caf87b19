import { type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'

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
