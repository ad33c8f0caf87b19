import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sessions, Statements } from '../database/database.ts'
import { named } from '../database/sql.ts'

/** The PostgreSQL channel that relays listen to. */
export const OUTBOX_CHANNEL = 'console_outbox'

/** At most one notification in this time. */
const MIN_INTERVAL_MS = 5

/** Wraps sessions so that relays are notified, by a statement of `system`, after each committed write. The
 * notification is not part of the write transaction, because PostgreSQL serialises the commits of transactions that
 * notify. It may get lost: relays also poll. */
export function notifyAfterWrites(
  sessions: Sessions,
  system: Pick<Statements, 'read'>,
  log: Logger,
): Sessions {
  let isDue = false
  let isNotifying = false

  /** One at a time: slow notifications must not use up the connection pool. */
  // The statement writes nothing, so the commit need not wait for the disk.
  const notify = async () => {
    isDue = false
    isNotifying = true
    const notified = system
      .read(named('notify-relays')`
SELECT set_config('synchronous_commit', 'off', true), pg_notify(${OUTBOX_CHANNEL}, '')`)
      .catch((error: unknown) => log.debug({ err: error }, 'cannot notify the relays of a write'))
    await Promise.all([notified, sleep(MIN_INTERVAL_MS, undefined, { ref: false })])
    isNotifying = false
    if (isDue) void notify()
  }

  const notifyAfter = async <Result>(write: Promise<Result>): Promise<Result> => {
    const result = await write
    if (isNotifying) isDue = true
    else void notify()
    return result
  }

  return {
    of: (teamId) => {
      const sql = sessions.of(teamId)
      return {
        read: sql.read,
        write: (statement) => notifyAfter(sql.write(statement)),
        transaction: (work) => notifyAfter(sql.transaction(work)),
      }
    },
  }
}
