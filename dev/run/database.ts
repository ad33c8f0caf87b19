import { userInfo } from 'node:os'
import { Client } from 'pg'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'
import { startOwnPostgres } from './own-postgres.ts'
import type { Found, State } from './state.ts'

interface FindOptions {
  environment: NodeJS.ProcessEnv
  state: State
  lifetime: Lifetime
  isReset: boolean
  /** Whether a PostgreSQL is started here whatever else runs on this machine. */
  isOwn: boolean
}

const NAME = 'agent_console_dev'

const PG_VARIABLES = ['PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGPASSWORD']

const HOW_TO = `Install PostgreSQL, or name a database that runs elsewhere:
  Debian, Ubuntu:  apt-get install postgresql
  macOS:           brew install postgresql@17
  elsewhere:       DATABASE_URL=postgres://user:password@host:5432/database npm run dev`

/** A migrated database: that of DATABASE_URL, else that of the PG variables, else one on the PostgreSQL of this machine,
 * else one on a PostgreSQL that is started here. */
export async function findDatabase(options: FindOptions): Promise<Found> {
  const { environment, state, lifetime, isReset, isOwn } = options
  const { DATABASE_URL: named, PGDATABASE: chosen } = environment
  if (named && !URL.canParse(named))
    throw new DevError('DATABASE_URL is no URL: postgres://user:password@host:5432/database')
  const variables = named ? ['DATABASE_URL'] : PG_VARIABLES.filter((name) => environment[name])
  if (variables.length > 0) {
    const url = named || urlOf(environment)
    return prepare(url, describe(url), isReset && !named && !chosen).catch((error: Error) => {
      throw unusable(named ? 'DATABASE_URL' : 'the PG variables', variables, error)
    })
  }
  for (const url of isOwn ? [] : localUrls()) {
    if (await answers(url)) return prepare(url, describe(url), isReset)
    lifetime.check()
  }
  const own = await startOwnPostgres(state, lifetime).catch((error: Error) => {
    if (error instanceof DevError) throw error
    throw new DevError(
      `No PostgreSQL runs on 127.0.0.1:5432, and none could be started (${error.message}).\n${HOW_TO}`,
    )
  })
  return prepare(withDatabase(own.url, NAME), own.where, false)
}

/** Homebrew's PostgreSQL knows the user of the machine instead of postgres; Debian's may let it in by the socket alone. */
function localUrls(): string[] {
  const { username } = userInfo()
  return [
    ...[`postgres://postgres@127.0.0.1:5432/${NAME}`, `postgres://${username}@127.0.0.1:5432/${NAME}`],
    ...['/var/run/postgresql', '/tmp'].map((socket) => `postgres://${username}@/${NAME}?host=${socket}`),
  ]
}

/** As libpq would read them, but for the database. */
function urlOf(environment: NodeJS.ProcessEnv): string {
  const {
    PGHOST = '127.0.0.1',
    PGPORT = '5432',
    PGUSER = userInfo().username,
    PGPASSWORD,
    PGDATABASE = NAME,
  } = environment
  const login = encodeURIComponent(PGUSER) + (PGPASSWORD ? `:${encodeURIComponent(PGPASSWORD)}` : '')
  const database = encodeURIComponent(PGDATABASE)
  if (PGHOST.startsWith('/')) return `postgres://${login}@/${database}?host=${PGHOST}&port=${PGPORT}`
  return `postgres://${login}@${PGHOST}:${PGPORT}/${database}`
}

function describe(url: string): string {
  const { host, pathname, searchParams } = new URL(url.replace('@/', '@socket/'))
  return `${decodeURIComponent(pathname.slice(1))} on ${searchParams.get('host') ?? host}`
}

async function answers(url: string): Promise<boolean> {
  return withClient(withDatabase(url, 'postgres'), async () => true).catch(() => false)
}

/** Creates the database where it does not exist, and brings it to the newest schema. */
async function prepare(url: string, where: string, isReset: boolean): Promise<Found> {
  if (isReset)
    await onServer(url, (client, name) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  await withClient(url, async () => {}).catch(async (error: Error & { code?: string }) => {
    if (error.code !== '3D000') throw error
    await onServer(url, (client, name) => client.query(`CREATE DATABASE ${name}`))
  })
  const { migrate } = await import('../../scripts/migrate.ts')
  await migrate(url, () => {}).catch((error: Error) => {
    throw new DevError(
      `The database has another schema (${error.message}). npm run dev -- --reset makes it anew, without its data.`,
    )
  })
  return { url, where }
}

async function onServer(
  url: string,
  work: (client: Client, name: string) => Promise<unknown>,
): Promise<void> {
  const name = decodeURIComponent(new URL(url.replace('@/', '@socket/')).pathname.slice(1))
  await withClient(withDatabase(url, 'postgres'), (client) => work(client, client.escapeIdentifier(name)))
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 })
  // A server that shuts down fails the statement in progress. Without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The URL with another database. Its host may be empty, which is no URL for `URL`. */
function withDatabase(url: string, database: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${database}`)
}

function unusable(whose: string, variables: string[], error: Error): DevError {
  if (error instanceof DevError) return error
  const them = variables.length === 1 ? 'it' : 'them'
  return new DevError(
    `The database of ${whose} cannot be used (${error.message}).\n` +
      `Correct ${variables.join(', ')}, or unset ${them}: then npm run dev finds or starts a PostgreSQL itself.`,
  )
}
