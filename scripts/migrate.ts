import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { Client, type DatabaseError } from 'pg'
import { watchBlockers } from './migrate/blockers.ts'
import { grantRole } from './migrate/grant.ts'
import { createLoader, type MigrationFile } from './migrate/load.ts'
import { explainDatabaseError, helpOrGoOn, readDatabaseUrl, readSetting } from './options.ts'

export interface MigrateOptions {
  folder?: string
  /** The number of files to apply. All if absent. */
  count?: number
  /** The role that serves, which is granted what it needs. None if it is absent or empty. */
  role?: string
  /** How often to try when a lock is not free in time. */
  maxAttempts?: number
  maxPauseMs?: number
}

const TABLE = 'schema_migrations'

/** SQLSTATE: a lock was not free within lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/** An error whose message says all that the operator needs. */
export class MigrationError extends Error {}

/** Migrates a database to the newest schema, file by file. Concurrent runs wait for each other. A file that cannot lock a
 * table soon gives up, so that requests do not queue behind it, and is tried again. */
export async function migrate(
  databaseUrl: string,
  log: (line: string) => void,
  {
    folder = fileURLToPath(new URL('../migrations', import.meta.url)),
    count = Number.POSITIVE_INFINITY,
    role = '',
    maxAttempts = 30,
    maxPauseMs = 5_000,
  }: MigrateOptions = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const blocked = await tryMigrate(databaseUrl, log, { folder, count, role })
    if (blocked === undefined) return
    if (attempt >= maxAttempts)
      throw new MigrationError(
        `${blocked}\nGave up after ${attempt} attempts. Everything before is applied; run it again.`,
      )
    const pauseMs = Math.min(500 * attempt, maxPauseMs)
    log(`${blocked}\nTrying again in ${pauseMs / 1_000} s (attempt ${attempt} of ${maxAttempts}).`)
    await sleep(pauseMs)
  }
}

/** Returns what blocked the migration, or undefined if the schema is up to date. */
async function tryMigrate(
  databaseUrl: string,
  log: (line: string) => void,
  { folder, count, role }: Required<Pick<MigrateOptions, 'folder' | 'count' | 'role'>>,
): Promise<string | undefined> {
  const dbClient = new Client({ connectionString: databaseUrl, application_name: 'agent-console-migrate' })
  // A lost connection fails the statement in progress. Without a listener the event would end the process.
  dbClient.on('error', () => {})
  await dbClient.connect()
  let file: MigrationFile | undefined
  const loader = createLoader((started) => {
    file = started
    log(`Applying ${started.name}`)
  })
  try {
    await refuseUnknown(dbClient, folder)
    // Also limits the wait for another run of this script. Each file sets its own limit.
    const { rows } = await dbClient.query<{ pid: number }>(
      "SELECT pg_backend_pid() AS pid, set_config('lock_timeout', '2s', false)",
    )
    const watch = await watchBlockers(databaseUrl, rows[0]?.pid ?? 0, log)
    try {
      const applied = await runner({
        dbClient,
        dir: folder,
        migrationsTable: TABLE,
        direction: 'up',
        count,
        advisoryLockMode: 'wait',
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader }],
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      })
      log(applied.length > 0 ? 'The schema is up to date.' : 'The schema was up to date already.')
      if (role !== '') {
        await grantRole(dbClient, role)
        log(`The role ${role} has the rights that this version needs.`)
      }
      return undefined
    } catch (error) {
      if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE) throw explain(error as Error, file)
      const what = file ? `${file.name} could not get a lock in time.` : 'Another migration is running.'
      return `${what} ${watch.describe()}`
    } finally {
      await watch.stop()
    }
  } finally {
    // Rolls back what a failed file has done.
    await dbClient.end()
  }
}

const HELP = `DATABASE_URL=postgres://… CONSOLE_ROLE=console npm run migrate

Brings the database to the newest schema. Run it as the owner of the tables. With CONSOLE_ROLE
it then grants this role, as which the console serves, what it needs.
`
/** A database of another line of versions must not be changed. */
async function refuseUnknown(client: Client, folder: string): Promise<void> {
  const { rows: tables } = await client.query(`SELECT to_regclass('${TABLE}') AS table`)
  if (tables[0]?.table === null) return
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TABLE} ORDER BY name`)
  const known = new Set((await readdir(folder)).map((file) => parse(file).name))
  const unknown = rows.map(({ name }) => name).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new MigrationError(
    `The database contains migrations that this version does not have: ${unknown.join(', ')}. A newer version migrated it, ` +
      'or a version from before the first release. Run the version that migrated it, or use an empty database.',
  )
}

function explain(error: Error & { position?: string }, file: MigrationFile | undefined): Error {
  if (!file || !('severity' in error)) return error
  const line = error.position ? file.text.slice(0, Number(error.position)).split('\n').length : undefined
  const where = line === undefined || !file.usesTransaction ? '' : ` at line ${line}`
  return new MigrationError(`${file.name} failed${where}: ${error.message}`, { cause: error })
}

if (import.meta.main) {
  helpOrGoOn(HELP)
  const databaseUrl = readDatabaseUrl()
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  await migrate(databaseUrl, log, { role: readSetting('CONSOLE_ROLE') }).catch((error: Error) => {
    process.stderr.write(`${error instanceof MigrationError ? error.message : explainDatabaseError(error)}\n`)
    process.exitCode = 1
  })
}
