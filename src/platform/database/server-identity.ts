import { type ClientBase, DatabaseError } from 'pg'

/** What PostgreSQL tells about the server that a connection leads to. */
export interface ServerIdentity {
  /** The process that serves the connection. */
  processId: number
  /** The same for a primary and its standbys. */
  system: string
  /** Hexadecimal. A standby that is promoted begins a new one. Null while the server is a standby. */
  timeline: string | null
}

/** Undefined if the server does not tell: not every service that speaks the protocol of PostgreSQL has timelines. The
 * time limit of a connection attempt does not include this query. */
export async function identifyServer(
  client: ClientBase,
  timeoutMs: number,
): Promise<ServerIdentity | undefined> {
  try {
    const { rows } = await client.query<ServerIdentity>({
      text: IDENTIFY,
      query_timeout: timeoutMs,
    } as never)
    return rows[0]
  } catch (error) {
    if (error instanceof DatabaseError && error.severity === 'ERROR') return undefined
    throw error
  }
}

const IDENTIFY = `
SELECT
  pg_backend_pid() AS "processId",
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`
