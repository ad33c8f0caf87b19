import type { Client } from 'pg'
import { type Context, ok, problem, type Result } from './finding.ts'

interface Room {
  /** Of the server, for roles that are no superusers. */
  server: number
  /** Null without a limit. */
  database: number | null
  role: number | null
}

/** Connections beside the pool: for the console itself, for maintenance, and for a start. */
const SYSTEM_CONNECTIONS = 4
const RELAY_CONNECTIONS = 2

/** Whether PostgreSQL has room for one more replica, as in a rolling upgrade. */
export async function checkFreeConnections(client: Client, { config }: Context): Promise<Result[]> {
  const needed =
    config.pool.poolSize + SYSTEM_CONNECTIONS + (config.events?.relayDatabaseUrl ? RELAY_CONNECTIONS : 0)
  const { rows } = await client.query<Room>(READ_ROOM)
  const limits = Object.entries(rows[0] ?? {}).filter(([, free]) => free !== null) as [string, number][]
  const [what, free] = limits.toSorted(([, a], [, b]) => a - b)[0] ?? ['server', 0]
  if (free >= needed) return [ok(`${free} connections are free, a replica needs ${needed}`)]
  const limit = { server: 'max_connections', database: 'CONNECTION LIMIT of the database' }[what]
  return [
    problem(
      `Only ${free} connections are free for this ${what}; one more replica needs ${needed}.`,
      `Raise ${limit ?? 'CONNECTION LIMIT of the role'}, lower DATABASE_POOL_SIZE, or use PgBouncer.`,
    ),
  ]
}

/** Counts without the connection of this command. PostgreSQL hides the type of the sessions of other roles; a session with a
 * database and a user is a client, or a worker of a client. */
const READ_ROOM = `
WITH others AS (
  SELECT datname, usename FROM pg_stat_activity
  WHERE coalesce(backend_type, 'client backend') = 'client backend' AND datname IS NOT NULL AND usename IS NOT NULL
    AND pid <> pg_backend_pid()
)
SELECT
  (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int - (SELECT count(*) FROM others))::int AS server,
  (SELECT NULLIF(datconnlimit, -1) - (SELECT count(*) FROM others WHERE datname = current_database())
    FROM pg_database WHERE datname = current_database())::int AS database,
  (SELECT NULLIF(rolconnlimit, -1) - (SELECT count(*) FROM others WHERE usename = current_user)
    FROM pg_roles WHERE rolname = current_user)::int AS role`
