import { type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'

const INT8 = 20

const typeParsers: CustomTypesConfig = {
  // Time values and revisions are far below 2^53; pg hands them out as text to be safe.
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as never,
}

/** Connections to PostgreSQL that wait for nothing for ever. One may break at any time: whoever uses it is told. */
export function createPool(options: PoolConfig, log: Logger): Pool {
  const pool = new Pool({
    types: typeParsers,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: 8_000,
    keepAlive: true,
    ...options,
  })
  // Without a listener on each, a connection that breaks in use would end the process.
  pool.on('connect', (client) => {
    const { application_name: application } = options
    client.on('error', (error) => log.warn({ err: error, application }, 'a database connection was lost'))
  })
  pool.on('error', () => {})
  return pool
}
