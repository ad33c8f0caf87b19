import { Client } from 'pg'
import { startPrivatePostgres } from './private-postgres.ts'

const DATABASE = 'agent_console_dev'
const LOCAL = 'postgres://postgres@127.0.0.1:5432/postgres'

const HOW_TO = `Install PostgreSQL, or name a database that is running elsewhere:
  Debian, Ubuntu:  apt-get install postgresql
  macOS:           brew install postgresql@17
  elsewhere:       DATABASE_URL=postgres://user:password@host:5432/database npm run dev`

export interface DevDatabase {
  url: string
  where: string
  close: () => Promise<void>
}

/** A database to develop on: the one that is named, else one on the PostgreSQL of this machine, else one on a
 * PostgreSQL started for the purpose. */
export async function findDatabase(named: string | undefined): Promise<DevDatabase> {
  if (named !== undefined) {
    await connectTo(named, async () => {}).catch((error: Error) => {
      throw new Error(`The database of DATABASE_URL does not answer (${error.message}).\n${HOW_TO}`)
    })
    return { url: named, where: 'DATABASE_URL', close: async () => {} }
  }
  const local = await createDatabase(LOCAL).catch(() => undefined)
  if (local !== undefined) return { url: local, where: `127.0.0.1:5432/${DATABASE}`, close: async () => {} }
  const own = await startPrivatePostgres().catch((error: Error) => {
    throw new Error(
      `PostgreSQL neither runs on 127.0.0.1:5432 nor could be started (${error.message.trim()}).\n${HOW_TO}`,
    )
  })
  return { url: own.url, where: 'a private server, gone when this ends', close: own.remove }
}

async function createDatabase(server: string): Promise<string> {
  await connectTo(server, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  })
  return server.replace(/\/postgres$/, `/${DATABASE}`)
}

async function connectTo(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
