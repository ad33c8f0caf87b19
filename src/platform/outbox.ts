import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import type { EventAction } from '../contract/events.ts'
import type { Sql } from './database.ts'
import { createPool } from './pool.ts'

/** An event that waits for its delivery. */
export interface OutboxEvent {
  position: number
  teamId: string
  agentId: string
  revision: number
  id: string
  action: EventAction
  payload: { fields: string[]; changed_by: string; changed_at: number }
}

/** What is to be delivered next, held until it was or was not. */
export interface OutboxBatch {
  events: OutboxEvent[]
  /** Forgets what was delivered, and lets others go on. Answers how long each of those had waited, in seconds. */
  release: (delivered: OutboxEvent[]) => Promise<number[]>
}

export interface Backlog {
  waiting: number
  /** How long the oldest has been waiting; 0 when none is. */
  oldestSeconds: number
}

/** 'relay' in ASCII: one number for all replicas on a database. */
const RELAY_LOCK = 0x72656c6179

/** Longer than any delivery takes. Whoever holds a batch for longer has stopped, and others go on without it. */
const HOLD_MS = 15_000

export interface Outbox {
  /** The oldest events, unless another replica is just delivering: only one does at a time, because two would mix up
   * the events of an agent. Whoever holds them and dies loses the lock with its connection. */
  take: (size: number) => Promise<OutboxBatch | undefined>
  close: () => Promise<void>
}

export function createOutbox(url: string, log: Logger): Outbox {
  const options: PoolConfig = {
    connectionString: url,
    application_name: 'agent-console-relay',
    max: 1,
    idle_in_transaction_session_timeout: HOLD_MS,
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
    // A statement of its own: one that also took the lock would still see what its last holder deleted.
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
    const { rows } = await client.query<{ waited: number }>(FORGET, [positions])
    await finish(client)
    return rows.map(({ waited }) => waited)
  } catch (error) {
    client.release(true)
    throw error
  }
}

const FORGET = `
DELETE FROM outbox WHERE position = ANY ($1::bigint[])
RETURNING extract(epoch FROM clock_timestamp() - written_at)::float8 AS waited`

async function finish(client: PoolClient): Promise<void> {
  await client.query('COMMIT')
  client.release()
}

export async function readBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql.read<Backlog>({ name: 'read-backlog', text: BACKLOG, values: [] })
  return row as Backlog
}

/** From both ends of the index: counting would take longer the more there is to tell. */
const BACKLOG = `
SELECT
  coalesce((SELECT max(position) FROM outbox) - oldest.position + 1, 0) AS waiting,
  coalesce(extract(epoch FROM clock_timestamp() - oldest.written_at), 0)::float8 AS "oldestSeconds"
FROM (SELECT) AS always
LEFT JOIN LATERAL (SELECT position, written_at FROM outbox ORDER BY position LIMIT 1) AS oldest ON true`
