import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../scripts/migrate.ts'
import { startPrivatePostgres } from './private-postgres.ts'

export interface BenchDatabase {
  url: string
  /** The server process: its children are the connections and the background processes. */
  pid: number
  remove: () => Promise<void>
}

/** For the consoles of one bench together. */
const MAX_CONNECTIONS = 400

/** A migrated database on a PostgreSQL server of its own, so that its CPU time belongs to the bench alone. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const { url, folder, remove } = await startPrivatePostgres({
    settings: [`max_connections=${MAX_CONNECTIONS}`],
  })
  await migrate(url, () => {})
  const [pid] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  return { url, pid: Number(pid), remove }
}
