import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, DatabaseError } from 'pg'

const LOCK_NOT_AVAILABLE = '55P03'
const MOVE_LOCK = "hashtext('console move of a team')"
const MAX_ATTEMPTS = 100
const PAUSE_MS = 200

/** Does work that no other move may do at the same time in this database. */
export async function withMoveLock(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query(`SELECT pg_advisory_lock(${MOVE_LOCK})`)
  try {
    await work()
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${MOVE_LOCK})`)
  }
}

/** Runs a statement that locks a table. It waits only briefly, because the changes of all teams wait behind it, and tries again.
 * With the short deadlock_timeout PostgreSQL cancels an autovacuum of the table before the wait is over. */
export async function withBriefLock(client: Client, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(
        `BEGIN; SET LOCAL lock_timeout = '100ms'; SET LOCAL deadlock_timeout = '50ms'; ${statement}; COMMIT`,
      )
      return
    } catch (error) {
      await client.query('ROLLBACK')
      if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE || attempt === MAX_ATTEMPTS) throw error
      await sleep(PAUSE_MS)
    }
  }
}
