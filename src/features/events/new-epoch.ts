import type { Client } from 'pg'
import { type EventStream, UnexpectedMessages } from '../../platform/nats/stream.ts'
import { unnamed } from '../../platform/postgres/sql.ts'
import { RELAY_LOCK, toEpochEvent } from './outbox.ts'

/** Begins an epoch, so that delivery continues after the stream and the database have diverged. Publishes the message
 * that tells subscribers, then records the epoch. If this is killed in between, delivery stays stopped, or stops, and
 * the next run begins one more epoch. */
export async function beginEpoch(
  client: Client,
  stream: Pick<EventStream, 'ensureExists' | 'lastEpoch' | 'publishEpoch'>,
  report: (line: string) => void,
): Promise<void> {
  await client.query('BEGIN')
  // Waits until no relay publishes.
  await client.query(`SELECT pg_advisory_xact_lock(${RELAY_LOCK})`)
  const { rows } = await client.query<{ epoch: string }>('SELECT epoch FROM event_delivery FOR UPDATE')
  const databaseEpoch = Number(rows[0]?.epoch)
  const stored = await stream.ensureExists()
  // The database may be older than the last epoch of the stream.
  const streamEpoch = (await stream.lastEpoch(stored)) ?? databaseEpoch
  report(`The database is in epoch ${databaseEpoch}, the stream in epoch ${streamEpoch}.`)
  const epoch = Math.max(databaseEpoch, streamEpoch) + 1
  const event = toEpochEvent(epoch, Date.now())
  const { sequence } = await stream
    .publishEpoch(epoch, event.id, JSON.stringify(event), stored.lastSequence)
    .catch((error: unknown) => {
      throw error instanceof UnexpectedMessages
        ? new Error('Another database publishes to this stream. Stop its relays first.', { cause: error })
        : error
    })
  report(`Published ${event.type} for epoch ${epoch} as message ${sequence} of the stream.`)
  await client.query(unnamed`
UPDATE event_delivery
SET epoch = ${epoch}, stream_created_at = ${stored.createdAt}, last_sequence = ${sequence}, diverged_at = NULL`)
  await client.query('COMMIT')
  report(`Delivery continues in epoch ${epoch}. Subscribers must list the agents again.`)
}
