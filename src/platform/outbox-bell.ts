import { setTimeout as sleep } from 'node:timers/promises'
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

  /** One at a time: where it takes long, more of them would take the connections of requests. */
  const announce = async () => {
    isDue = false
    isResting = true
    const sent = sql
      .read({ name: 'announce-write', text: ANNOUNCE, values: [OUTBOX_CHANNEL] })
      .catch((error: unknown) => log.debug({ err: error }, 'a write could not be announced'))
    await Promise.all([sent, sleep(GAP_MS, undefined, { ref: false })])
    isResting = false
    if (isDue) void announce()
  }

  const announced = async <Result>(written: Promise<Result>): Promise<Result> => {
    const result = await written
    if (isResting) isDue = true
    else void announce()
    return result
  }

  return {
    read: sql.read,
    write: (statement) => announced(sql.write(statement)),
    transaction: (work) => announced(sql.transaction(work)),
  }
}

/** Nothing is stored, so nothing has to be waited for. */
const ANNOUNCE = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')`
