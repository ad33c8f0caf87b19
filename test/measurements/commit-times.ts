import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'

export interface TimedDatabase {
  url: string
  /** When each revision (`<agent_id>:<revision>`) was committed, by `performance.now()`. */
  commitTimes: () => Promise<Map<string, number>>
  remove: () => Promise<void>
}

/** A database on a server of its own, which notes when each transaction was committed. */
export async function startTimedDatabase(): Promise<TimedDatabase> {
  const { url, start, stop, remove } = await startPrivatePostgres()
  try {
    await query(url, 'ALTER SYSTEM SET track_commit_timestamp = on')
    await stop()
    await start()
    await migrate(url, () => {})
  } catch (error) {
    await remove()
    throw error
  }
  return {
    url,
    commitTimes: async () => {
      const rows = await query<{ id: string; at: number }>(url, COMMITTED)
      return new Map(rows.map(({ id, at }) => [id, at - performance.timeOrigin]))
    },
    remove,
  }
}

/** The moment before the commit is written to disk: what that takes is counted as part of the delivery. */
const COMMITTED = `
SELECT agent_id || ':' || revision AS id, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS at
FROM agent_revisions`

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
