import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client, Pool, type QueryResultRow } from 'pg'
import { closeAfter } from './close-after.ts'

/** A server where this user may create databases. */
export const SERVER_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** Whether a commit waits for the disk, as in production. `npm test` turns it off: on a slow disk each change of a test
 * would take as long as production allows for many. Proofs and measurements keep it. */
const WAITS_FOR_DISK = process.env['TEST_SYNCHRONOUS_COMMIT'] !== 'off'

export interface TestDatabase {
  url: string
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  drop: () => Promise<void>
}

/** A database for the tests of the calling file or suite: dropped after the last of them. */
export async function useDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  closeAfter(() => database.drop())
  return database
}

/** A fresh, migrated database, cloned from a template: milliseconds instead of a run of migrations. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${await prepareTemplate()}`)
}

/** A fresh database without tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('')
}

async function createDatabase(options: string): Promise<TestDatabase> {
  const name = `console_test_${randomUUID().replaceAll('-', '')}`
  await onServer(async (server) => {
    await server.query(`CREATE DATABASE ${name} ${options}`)
    if (!WAITS_FOR_DISK) await server.query(`ALTER DATABASE ${name} SET synchronous_commit = off`)
  })
  return openDatabase(urlOf(name), () =>
    onServer((server) => server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  )
}

/** A database that exists. Its connections may break: the next query opens another one. */
export function openDatabase(url: string, drop: () => Promise<unknown> = async () => {}): TestDatabase {
  const pool = new Pool({ connectionString: url, max: 2 })
  // A test that stops the server under its connections expects them to break.
  pool.on('error', () => {})
  return {
    url,
    query: async (text, values) => (await pool.query(text, values)).rows as never,
    drop: async () => {
      await pool.end()
      await drop()
    },
  }
}

/** One template for each state of the migrations, made by whichever test file comes first. */
async function prepareTemplate(): Promise<string> {
  const folder = new URL('../../migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of (await readdir(folder)).toSorted()) {
    hash.update(file)
    hash.update(await readFile(new URL(file, folder)))
  }
  const template = `console_template_${hash.digest('hex').slice(0, 16)}`
  await onServer(async (server) => {
    await server.query(`SELECT pg_advisory_lock(hashtext('console test template'))`)
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [template])
    if (rowCount === 0) {
      // Loaded here: most runs find a template.
      const { migrate } = await import('../../scripts/migrate.ts')
      await server.query(`CREATE DATABASE ${template}_building`)
      await migrate(urlOf(`${template}_building`), () => {})
      await server.query(`ALTER DATABASE ${template}_building RENAME TO ${template}`)
    }
  })
  return template
}

async function onServer<T>(work: (server: Client) => Promise<T>): Promise<T> {
  const server = new Client({ connectionString: SERVER_URL })
  await server.connect()
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}

function urlOf(name: string): string {
  const url = new URL(SERVER_URL)
  url.pathname = `/${name}`
  return url.toString()
}
