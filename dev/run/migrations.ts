import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { Client } from 'pg'
import { DevError } from './dev-error.ts'

const FOLDER = join(import.meta.dirname, '../../migrations')

/** Loads the migration tool only where a migration is missing. */
export async function applyMigrations(client: Client, url: string): Promise<void> {
  const wanted = readdirSync(FOLDER)
    .map((file) => parse(file).name)
    .toSorted()
  const applied = await readApplied(client)
  if (wanted.length === applied.length && wanted.every((name, index) => name === applied[index])) return
  const { migrate } = await import('../../scripts/migrate.ts')
  await migrate(url, () => {}).catch((error: Error) => {
    throw new DevError(
      `The database has another schema (${error.message}). npm run dev -- --reset makes it anew, without its data.`,
    )
  })
}

async function readApplied(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("SELECT FROM pg_class WHERE relname = 'schema_migrations'")
  if (tables.length === 0) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
  return rows.map(({ name }) => name)
}
