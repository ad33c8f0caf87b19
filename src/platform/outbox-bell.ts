import type { Logger } from 'pino'
import type { Sql } from './database.ts'

/** Tells relays, wherever they run, that there is something to deliver. */
export const OUTBOX_CHANNEL = 'console_outbox'

/** At most one message in this time, however many writes there are. */
const GAP_MS = 5

/** The connection to write through: what it wrote is announced once it is committed. The announcement is no part of
 * the write: PostgreSQL makes transactions that announce something wait for each other. One that gets lost is
 * made up for by the relay, which also looks by itself. */
export function announceWrites(sql: Sql, log: Logger): Sql {
  let isDue = false
  let isResting = false

  const announce = () => {
    isDue = false
    isResting = true
    setTimeout(() => {
      isResting = false
      if (isDue) announce()
    }, GAP_MS).unref()
    sql
      .read({ name: 'announce-write', text: ANNOUNCE, values: [OUTBOX_CHANNEL] })
      .catch((error: unknown) => log.debug({ err: error }, 'a write could not be announced'))
  }

  return {
    read: sql.read,
    write: async (statement) => {
      const rows = await sql.write(statement)
      if (isResting) isDue = true
      else announce()
      return rows as never
    },
  }
}

/** Nothing is stored, so nothing has to be waited for. */
const ANNOUNCE = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')`
