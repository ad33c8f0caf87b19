import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { Client } from 'pg'

/** Migrates a database to the newest schema. Concurrent runs wait for each other. */
export async function migrate(databaseUrl: string, log: (line: string) => void): Promise<void> {
  const dbClient = new Client({ connectionString: databaseUrl })
  // A lost connection fails the statement in progress. Without a listener the event would end the process.
  dbClient.on('error', () => {})
  await dbClient.connect()
  try {
    await runner({
      dbClient,
      dir: fileURLToPath(new URL('../migrations', import.meta.url)),
      migrationsTable: 'schema_migrations',
      direction: 'up',
      log,
    })
  } finally {
    await dbClient.end()
  }
}

if (import.meta.main) {
  const databaseUrl = process.env['DATABASE_URL']
  if (!databaseUrl) {
    process.stderr.write('DATABASE_URL is missing: postgres://user:password@host:5432/database\n')
    process.exit(1)
  }
  await migrate(databaseUrl, (line) => process.stdout.write(`${line}\n`))
}
