import { randomUUID } from 'node:crypto'
import { type ClientBase, DatabaseError } from 'pg'
import type { Logger } from 'pino'

/** Finds poolers such as PgBouncer. In transaction mode they may run each transaction on another connection to
 * PostgreSQL, which does not have the statements that an earlier one prepared. */
export interface PoolerCheck {
  /** Called with each new connection. */
  admit: (client: ClientBase, server: ServerIdentity | undefined) => Promise<void>
  /** Whether a named statement can be used again on this connection. */
  keepsStatements: (client: ClientBase) => boolean
}

export const POOLER_HELP =
  'set ignore_startup_parameters = statement_timeout,options in PgBouncer, and both on the role of the console'

export function createPoolerCheck(log: Logger): PoolerCheck {
  const withoutStatements = new WeakSet<ClientBase>()
  let hasWarned = false

  return {
    admit: async (client, server) => {
      // A pooler makes up its own process number, because it belongs to no process of PostgreSQL.
      const { processID } = client as { processID?: number | null }
      if (server === undefined || processID === server.processId) return
      const { renamesStatements, statementTimeout } = await inspect(client)
      if (!renamesStatements) withoutStatements.add(client)
      if (!hasWarned && !renamesStatements)
        log.warn(
          'a pooler that does not support prepared statements is between the console and PostgreSQL, so that ' +
            'PostgreSQL plans every statement anew; for PgBouncer set max_prepared_statements, from version 1.21 on',
        )
      if (!hasWarned && statementTimeout === '0')
        log.warn('the pooler drops statement_timeout: set it on the role of the console')
      hasWarned = true
    },
    keepsStatements: (client) => !withoutStatements.has(client),
  }
}

/** PgBouncer prepares statements under names of its own if it supports them. */
async function inspect(client: ClientBase) {
  const name = `console-${randomUUID()}`
  // In one transaction, which has one connection to PostgreSQL.
  await client.query('BEGIN')
  const { rows } = await client.query<{ hasOurName: boolean; statementTimeout: string }>({
    name,
    text: `
      SELECT
        EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "hasOurName",
        current_setting('statement_timeout') AS "statementTimeout"`,
    values: [name],
  })
  const { hasOurName = true, statementTimeout = '' } = rows[0] ?? {}
  if (hasOurName) await client.query(`DEALLOCATE "${name}"`)
  await client.query('COMMIT')
  return { renamesStatements: !hasOurName, statementTimeout }
}

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
