import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { migrate } from '../scripts/migrate.ts'

const SERVER = process.env['BENCH_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A migrated database of one's own. */
export async function createBenchDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `console_bench_${randomUUID().replaceAll('-', '')}`
  await onServer((client) => client.query(`CREATE DATABASE ${name}`))
  const url = SERVER.replace(/\/[^/]*$/, `/${name}`)
  await migrate(url, () => {})
  return { url, drop: () => onServer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)) }
}

async function onServer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
