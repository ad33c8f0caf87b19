import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { readCatalogue } from './check-migrations/catalogue.ts'
import { findEffects } from './check-migrations/effects.ts'
import { findChanges, findDisorder, readHashes, readReleased } from './check-migrations/released.ts'
import { fillTables } from './check-migrations/sample-rows.ts'
import { findInText } from './check-migrations/text.ts'
import { readMigration } from './migrate/load.ts'
import { migrate } from './migrate.ts'

/** Fails if a released migration has changed, or if it would make requests wait. Applies each file to a database with rows, on the
 * PostgreSQL server of the tests. The first file creates the tables and needs no such care. */

/** Returns one sentence for each finding. */
export async function checkMigrations(folder: string, serverUrl: string): Promise<string[]> {
  const files = readdirSync(folder).toSorted()
  const later = await Promise.all(files.slice(1).map((file) => readMigration(join(folder, file))))
  const findings = [...findDisorder(files), ...later.flatMap(findInText)]
  if (later.length === 0 || findings.length > 0) return findings

  return withDatabase(serverUrl, async (url) => {
    const applyNext = () => migrate(url, () => {}, { folder, count: 1 })
    await applyNext()
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      for (const { name, usesTransaction } of later) {
        await fillTables(client)
        const before = await readCatalogue(client)
        await applyNext()
        findings.push(...findEffects(name, usesTransaction, before, await readCatalogue(client)))
      }
    } finally {
      await client.end()
    }
    return findings
  })
}

async function withDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `console_check_${randomUUID().replaceAll('-', '')}`
  const server = new Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  try {
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return await work(url.toString())
  } finally {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await server.end()
  }
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../migrations')
  const findings = [
    ...findChanges(readReleased(), readHashes(folder)),
    ...(await checkMigrations(
      folder,
      process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
    )),
  ]
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  if (findings.length > 0) process.exitCode = 1
}
