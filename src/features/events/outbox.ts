import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { Logger } from 'pino'
import type { AgentEvent, EpochEvent, RevisionAction } from '../../api/events.ts'
import { createPool } from '../../platform/postgres/connections.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { fragment, named, param, raw, type Statement, unnamed } from '../../platform/postgres/sql.ts'

/** An event that has not been delivered. */
export interface OutboxEvent {
  teamId: string
  agentId: string
  revision: number
  id: string
  action: RevisionAction
  payload: {
    fields: string[]
    changed_by: string
    changed_at: number
    reason?: string
    drifted_sets?: string[]
    /** The span of the request that made the change. */
    traceparent?: string
  }
}

export type EventKey = Pick<OutboxEvent, 'teamId' | 'agentId' | 'revision'>

/** The last message of the stream that this database knows of. */
export interface StreamPosition {
  /** Of the stream, in milliseconds since 1970. Null before the first delivery. */
  createdAt: number | null
  lastSequence: number
}

export interface Backlog {
  /** At most MAX_COUNTED. */
  waiting: number
  /** Age of the oldest event; 0 if there is none. */
  oldestSeconds: number
  epoch: number
  /** 1 if delivery has stopped because the stream holds events that this database does not have. */
  diverged: 0 | 1
}

/** Advisory lock shared by all replicas on a database: 'relay' in ASCII. */
export const RELAY_LOCK = 0x72656c6179

/** Longer than any delivery takes. PostgreSQL ends the transaction of a relay that holds a batch for longer. */
const MAX_HOLD_MS = 15_000

/** Not a parameter of the connection, which PgBouncer would refuse. */
const LIMIT_HOLD = `SET LOCAL idle_in_transaction_session_timeout = ${MAX_HOLD_MS}`

export class Outbox {
  readonly #pool: Pool

  constructor(url: string, log: Logger) {
    const options: PoolConfig = { connectionString: url, application_name: 'agent-console-relay', max: 1 }
    this.#pool = createPool(options, log)
  }

  /** Returns the oldest events, or undefined while another replica delivers: two relays could publish the events of an
   * agent in the wrong order. A relay that dies loses the lock with its connection. */
  async take(size: number): Promise<OutboxBatch | undefined> {
    const client = await this.#pool.connect()
    try {
      // Separate statements: the snapshot of the one that takes the lock is older than the lock, and may be older than
      // the last delivery.
      const results = await client.query(`${BEGIN_AND_LOCK}; ${READ_DELIVERY}`)
      const [, , lock, delivery] = results as unknown as BatchResults
      const [row] = delivery.rows
      if (!lock.rows[0]?.held || !row) {
        await finish(client)
        return undefined
      }
      const { rows: events } = await client.query<OutboxEvent>(takeEvents(row.isDiverged ? 0 : size))
      return new OutboxBatch(client, events, row)
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

interface DeliveryRow extends StreamPosition {
  epoch: number
  isDiverged: boolean
}

interface Rows<Row> {
  rows: Row[]
}

type BatchResults = [unknown, unknown, Rows<{ held: boolean }>, Rows<DeliveryRow>]

/** Events that wait for delivery. Locked until it is released or abandoned. */
export class OutboxBatch {
  /** Empty if delivery has stopped. */
  readonly events: OutboxEvent[]
  readonly epoch: number
  readonly position: StreamPosition
  /** Delivery has stopped: the stream holds events that this database does not have. */
  readonly isDiverged: boolean
  readonly #client: PoolClient
  #isOpen = true

  constructor(client: PoolClient, events: OutboxEvent[], { epoch, isDiverged, ...position }: DeliveryRow) {
    this.events = events
    this.epoch = epoch
    this.position = position
    this.isDiverged = isDiverged
    this.#client = client
  }

  /** Returns those of the events that are not delivered. */
  async findWaiting(keys: EventKey[]): Promise<OutboxEvent[]> {
    return (await this.#client.query<OutboxEvent>(findEvents(keys))).rows
  }

  /** Deletes the delivered events, records the position of the stream and unlocks the outbox. Returns the age of each
   * deleted event in seconds. */
  async release(delivered: OutboxEvent[], position: StreamPosition): Promise<number[]> {
    const { rows } = await this.#end(() =>
      this.#client.query<{ age: number }>(deleteDelivered(delivered, position)),
    )
    return rows.map(({ age }) => age)
  }

  /** Stops delivery and unlocks the outbox. */
  async stopDelivery(): Promise<void> {
    await this.#end(() => this.#client.query(STOP_DELIVERY))
  }

  /** Unlocks the outbox without a change, unless it is unlocked already. */
  async abandon(): Promise<void> {
    if (this.#isOpen) await this.#end(async () => {})
  }

  /** Commits. A connection that fails is closed, which rolls back. */
  async #end<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isOpen = false
    try {
      const result = await work()
      await finish(this.#client)
      return result
    } catch (error) {
      this.#client.release(true)
      throw error
    }
  }
}

const BEGIN_AND_LOCK = `BEGIN; ${LIMIT_HOLD}; SELECT pg_try_advisory_xact_lock(${RELAY_LOCK}) AS held`

const READ_DELIVERY = `
SELECT epoch, stream_created_at AS "createdAt", last_sequence AS "lastSequence", diverged_at IS NOT NULL AS "isDiverged"
FROM event_delivery`

const EVENT_COLUMNS = raw(
  'team_id AS "teamId", aggregateid AS "agentId", revision, id, type AS action, payload',
)

/** Chooses agents by the age of their events, then takes the events of each agent in the order of its revisions: never
 * one while an earlier one waits, even if the clock went back between them. */
const takeEvents = (size: number) => unnamed`
SELECT event.*
FROM (
  SELECT team_id, aggregateid, count(*) AS events
  FROM (SELECT team_id, aggregateid FROM outbox ORDER BY written_at LIMIT ${size}) oldest
  GROUP BY team_id, aggregateid
) agent
CROSS JOIN LATERAL (
  SELECT ${EVENT_COLUMNS}
  FROM outbox
  WHERE team_id = agent.team_id AND aggregateid = agent.aggregateid
  ORDER BY revision
  LIMIT agent.events
) event`

const findEvents = (keys: EventKey[]) => unnamed`
SELECT ${EVENT_COLUMNS}
FROM outbox
WHERE (team_id, aggregateid, revision) IN (SELECT * FROM ${tableOf(keys)})`

function deleteDelivered(delivered: EventKey[], position: StreamPosition): Statement {
  const createdAt = param(position.createdAt)
  const lastSequence = param(position.lastSequence)
  return unnamed`
WITH recorded AS (
  UPDATE event_delivery SET stream_created_at = ${createdAt}, last_sequence = ${lastSequence}, diverged_at = NULL
  WHERE (stream_created_at, last_sequence, diverged_at)
    IS DISTINCT FROM (${createdAt}::bigint, ${lastSequence}::bigint, NULL)
)
DELETE FROM outbox o
USING ${tableOf(delivered)} AS delivered (team_id, agent_id, revision)
WHERE o.team_id = delivered.team_id AND o.aggregateid = delivered.agent_id AND o.revision = delivered.revision
RETURNING extract(epoch FROM clock_timestamp() - written_at)::float8 AS age`
}

const tableOf = (keys: EventKey[]) => fragment`unnest(
  ${keys.map(({ teamId }) => teamId)}::uuid[],
  ${keys.map(({ agentId }) => agentId)}::uuid[],
  ${keys.map(({ revision }) => revision)}::bigint[]
)`

const STOP_DELIVERY = 'UPDATE event_delivery SET diverged_at = clock_timestamp() WHERE diverged_at IS NULL'

async function finish(client: PoolClient): Promise<void> {
  await client.query('COMMIT')
  client.release()
}

export async function readBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql.read<Backlog>(named('read-backlog')`
SELECT
  (SELECT count(*) FROM (SELECT FROM outbox LIMIT ${raw(MAX_COUNTED)}) counted) AS waiting,
  coalesce(
    extract(epoch FROM clock_timestamp() - (SELECT written_at FROM outbox ORDER BY written_at LIMIT 1)), 0
  )::float8 AS "oldestSeconds",
  epoch,
  (diverged_at IS NOT NULL)::int AS diverged
FROM event_delivery`)
  return row as Backlog
}

export async function readEpoch(sql: Sql): Promise<number> {
  const [row] = await sql.read<{ epoch: number }>(named('read-epoch')`SELECT epoch FROM event_delivery`)
  return row?.epoch ?? 1
}

/** count(*) of a long backlog takes seconds. */
const MAX_COUNTED = 10_000

const SOURCE = '/v1/agent-configurations'

/** After a restore the numbers of lost revisions are used again, for other changes: their ids must differ, or JetStream
 * drops them as duplicates. */
export function toCloudEvent(event: OutboxEvent, epoch: number): AgentEvent {
  const { teamId, agentId, revision, action } = event
  const { traceparent, ...payload } = event.payload
  return {
    specversion: '1.0',
    id: epoch === 1 ? event.id : `${event.id}:${epoch}`,
    source: SOURCE,
    type: `console.agent.${action}`,
    subject: agentId,
    time: new Date(payload.changed_at * 1_000).toISOString(),
    datacontenttype: 'application/json',
    epoch,
    ...(traceparent === undefined ? {} : { traceparent }),
    data: { team_id: teamId, agent_id: agentId, revision, action, ...payload },
  }
}

export function toEpochEvent(epoch: number, atMs: number): EpochEvent {
  return {
    specversion: '1.0',
    id: `epoch:${epoch}`,
    source: SOURCE,
    type: 'console.epoch.began',
    time: new Date(atMs).toISOString(),
    epoch,
  }
}
