import { Client } from 'pg'
import type { StartChild } from '../support/children.ts'
import { startConsoleWithFiles } from '../support/console-with-files.ts'
import { cpuMicros } from '../support/cpu-time.ts'
import { startBenchDatabase } from '../support/measured-database.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { until } from '../support/until.ts'

/** `LOAD_PGBOUNCER=1` puts PgBouncer between the console and the database. */
const HAS_PGBOUNCER = process.env['LOAD_PGBOUNCER'] === '1'

export interface Usage {
  /** Microseconds of processor. */
  consoleMicros: number
  databaseMicros: number
  databaseBytes: number
}

/** A console with a mounted service and a stream of events, on a PostgreSQL server of its own. */
export async function startLoadScene(
  start: StartChild,
  stack: AsyncDisposableStack,
  environment: Record<string, string>,
) {
  const service = await start<string>('./file-service.ts', {})
  const database = await startBenchDatabase()
  stack.defer(() => database.remove())
  const bouncer = HAS_PGBOUNCER ? await startPgBouncer(database.url, ['default_pool_size = 12']) : undefined
  if (bouncer) stack.defer(() => bouncer.remove())
  const running = stack.use(
    await startConsoleWithFiles(service.started, {
      ...environment,
      DATABASE_URL: bouncer?.url ?? database.url,
      RELAY_DATABASE_URL: database.url,
    }),
  )
  const sql = new Client({ connectionString: database.url })
  await sql.connect()
  stack.defer(() => sql.end())
  return {
    running,
    isDelivered: () => {
      const isEmpty = async () => (await sql.query('SELECT FROM outbox LIMIT 1')).rowCount === 0
      return until('all events are delivered', isEmpty, 300_000)
    },
    /** The newest revision of each agent. */
    revisions: async () => {
      const { rows } = await sql.query<{ id: string; revision: number }>(
        'SELECT id, revision::integer FROM agents',
      )
      return new Map(rows.map(({ id, revision }) => [id, revision]))
    },
    usage: async (): Promise<Usage> => {
      const { rows } = await sql.query<{ bytes: number }>(
        'SELECT pg_database_size(current_database())::float8 AS bytes',
      )
      return {
        consoleMicros: cpuMicros(running.child.pid ?? 0),
        databaseMicros: cpuMicros(database.pid),
        databaseBytes: rows[0]?.bytes ?? 0,
      }
    },
  }
}
