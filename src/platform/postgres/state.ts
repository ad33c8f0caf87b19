import { readdirSync } from 'node:fs'
import { DatabaseError, type PoolClient } from 'pg'
import type { Logger } from 'pino'
import { coalesce, withTimeout } from '../async.ts'
import type { Connections } from './connections.ts'
import { mustLeavePool } from './errors.ts'

/** The names of the migrations that this version of the code needs, as `schema_migrations` has them. */
export const MIGRATIONS: readonly string[] = readdirSync(new URL('../../../migrations', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -'.sql'.length))
  .toSorted()

export const DATABASE_STATES = ['up', 'read_only', 'schema_outdated', 'down'] as const

export interface DatabaseState {
  /** `schema_outdated` if this version of the code needs a migration that the database lacks. */
  state: (typeof DATABASE_STATES)[number]
  /** The newest migration of the database. Undefined if it could not be read. */
  schema?: string
}

const TIMEOUT_MS = 500

const UNDEFINED_TABLE = '42P01'
const INSUFFICIENT_PRIVILEGE = '42501'

/** Returns a function that finds the state of the database, with one check at a time. The time limit covers a database
 * that hangs and an exhausted pool. */
export function createStateCheck(connections: Connections, log: Logger): () => Promise<DatabaseState> {
  let last = ''
  const report = ({ state, schema }: DatabaseState) => {
    if (state !== last && state === 'schema_outdated')
      log.error({ schema, needed: MIGRATIONS.at(-1) }, 'the schema is outdated: run npm run migrate')
    if (state !== last && state === 'read_only') log.warn('the database is read-only')
    last = state
  }
  const check = coalesce(async (): Promise<DatabaseState> => {
    const found = await checkOnce(connections).catch(() => ({ state: 'down' }) as const)
    report(found)
    return found
  })
  return () => withTimeout(TIMEOUT_MS, check(), { state: 'down' })
}

async function checkOnce({ take, giveBack, failover }: Connections): Promise<DatabaseState> {
  const client = await take()
  let isLost = false
  try {
    const applied = await readApplied(client)
    const found = applied?.at(-1)
    const schema = found === undefined ? {} : { schema: found }
    if (applied && MIGRATIONS.some((name) => !applied.includes(name)))
      return { state: 'schema_outdated', ...schema }
    const { rows } = await client.query<{ isReadOnly: boolean }>(CHECK)
    if (!rows[0]?.isReadOnly) return { state: 'up', ...schema }
    failover.suspect()
    return { state: 'read_only', ...schema }
  } catch (error) {
    isLost = mustLeavePool(error)
    throw error
  } finally {
    giveBack(client, isLost)
  }
}

/** Undefined if the role of the console may not read them. */
async function readApplied(client: PoolClient): Promise<string[] | undefined> {
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
    return rows.map(({ name }) => name)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.code === UNDEFINED_TABLE) return []
    if (error.code === INSUFFICIENT_PRIVILEGE) return undefined
    throw error
  }
}

/** Also tests whether agents can be read. */
const CHECK = `
SELECT
  current_setting('transaction_read_only')::boolean AS "isReadOnly",
  EXISTS (SELECT FROM agents LIMIT 0)`
