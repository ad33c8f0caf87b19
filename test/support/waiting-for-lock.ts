import type { TestDatabase } from './database.ts'

/** The process ids of the statements that wait for a lock in this database: of all, or of those that contain a text. To be asked
 * outside of the transaction that holds the lock, which does not see connections that are made later. */
export async function waitingForLock({ query }: Pick<TestDatabase, 'query'>, text = ''): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`,
    [text],
  )
  return rows.map(({ pid }) => pid)
}
