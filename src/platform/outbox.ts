import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import type { EventAction } from '../contract/events.ts'
import type { Sql } from './database.ts'
import { createPool } from './pool.ts'

/** An event that has not been delivered. */
export interface OutboxEvent {
  position: number
  teamId: string
  agentId: string
  revision: number
  id: string
  action: EventAction
  payload: { fields: string[]; changed_by: string; changed_at: number }
}

/** Locked until it is released. */
export interface OutboxBatch {
  events: OutboxEvent[]
  /** Deletes the delivered events and unlocks the outbox. Returns the age of each deleted event in seconds. */
  release: (delivered: OutboxEvent[]) => Promise<number[]>
}

export interface Backlog {
  waiting: number
  /** Age of the oldest event; 0 if there is none. */
  oldestSeconds: number
}

/** Advisory lock shared by all replicas on a database: 'relay' in ASCII. */
const RELAY_LOCK = 0x72656c6179

/** Longer than any delivery: a relay that holds a batch for longer hangs, and PostgreSQL ends its transaction. */
const MAX_HOLD_MS = 15_000

export interface Outbox {
  /** Returns the oldest events, or undefined while another replica delivers: two relays could publish the events of an
   * agent in the wrong order. A relay that dies loses the lock with its connection. */
  take: (size: number) => Promise<OutboxBatch | undefined>
  close: () => Promise<void>
}

export function createOutbox(url: string, log: Logger): Outbox {
  const options: PoolConfig = {
    connectionString: url,
    application_name: 'agent-console-relay',
    max: 1,
    idle_in_transaction_session_timeout: MAX_HOLD_MS,
  }
  const pool = createPool(options, log)
  return { take: (size) => take(pool, size), close: () => pool.end() }
}

async function take(pool: Pool, size: number): Promise<OutboxBatch | undefined> {
  const client = await pool.connect()
  try {
    const results = await client.query(`BEGIN; SELECT pg_try_advisory_xact_lock(${RELAY_LOCK}) AS held`)
    const [, lock] = results as unknown as { rows: { held: boolean }[] }[]
    if (!lock?.rows[0]?.held) {
      await finish(client)
      return undefined
    }
    // A separate statement: the snapshot of the one that took the lock may still contain events deleted before.
    const { rows } = await client.query<OutboxEvent>(TAKE, [size])
    return { events: rows, release: (delivered) => release(client, delivered) }
  } catch (error) {
    client.release(true)
    throw error
  }
}

const TAKE = `
SELECT position, team_id AS "teamId", aggregateid AS "agentId", revision, id, type AS action, payload
FROM outbox
ORDER BY position
LIMIT $1`

async function release(client: PoolClient, delivered: OutboxEvent[]): Promise<number[]> {
  try {
    const positions = delivered.map(({ position }) => position)
    const { rows } = await client.query<{ age: number }>(DELETE, [positions])
    await finish(client)
    return rows.map(({ age }) => age)
  } catch (error) {
    client.release(true)
    throw error
  }
}

const DELETE = `
DELETE FROM outbox WHERE position = ANY ($1::bigint[])
RETURNING extract(epoch FROM clock_timestamp() - written_at)::float8 AS age`

async function finish(client: PoolClient): Promise<void> {
  await client.query('COMMIT')
  client.release()
}

export async function readBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql.read<Backlog>({ name: 'read-backlog', text: BACKLOG, values: [] })
  return row as Backlog
}

/** The count is estimated from both ends of the index: count(*) takes longer the larger the backlog is. */
const BACKLOG = `
SELECT
  coalesce((SELECT max(position) FROM outbox) - oldest.position + 1, 0) AS waiting,
  coalesce(extract(epoch FROM clock_timestamp() - oldest.written_at), 0)::float8 AS "oldestSeconds"
FROM (SELECT) AS always
LEFT JOIN LATERAL (SELECT position, written_at FROM outbox ORDER BY position LIMIT 1) AS oldest ON true`
