import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findBinaries } from '../../dev/postgres-programs.ts'

const run = promisify(execFile)

export interface Dump {
  /** Replaces the database with the dumped one. */
  restore: () => Promise<void>
  remove: () => Promise<void>
}

/** Dumps a database as docs/backup.md says. */
export async function dump(databaseUrl: string): Promise<Dump> {
  const bin = findBinaries()
  const folder = await mkdtemp(join(tmpdir(), 'console-dump-'))
  const file = join(folder, 'console.dump')
  await run(`${bin}/pg_dump`, ['--format=custom', `--file=${file}`, databaseUrl])
  return {
    restore: async () => {
      const name = new URL(databaseUrl).pathname.slice(1)
      const server = new URL(databaseUrl)
      server.pathname = '/postgres'
      const client = new Client({ connectionString: server.toString() })
      await client.connect()
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      await run(`${bin}/pg_restore`, ['--exit-on-error', `--dbname=${databaseUrl}`, file])
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
