import { findUsedKey, type IdempotencyKey } from '../../agent/create-once.ts'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { named, param, raw, unnamed } from '../../platform/postgres/sql.ts'

// What makes a request that changes many agents safe to repeat: the request is stored with its idempotency key, and
// each change leaves a row that names the request.

/** A request with an idempotency key, and what it has done so far. */
export interface Repeatable<Result> {
  /** Marks the changes of the request. */
  id: string
  agentIds: readonly string[]
  /** Null until the request is complete. */
  results: Result[] | null
  /** The changes that were made before, by agent. */
  done: ReadonlyMap<string, DoneChange>
}

/** A change that a request with an idempotency key has made. */
export interface DoneChange {
  agent_id: string
  revision: number
  fields: string[]
}

interface StoredRequest<Result> {
  id: string
  /** Empty for an import, whose rows name its agents. */
  agent_ids: string[]
  results: Result[] | null
}

/** The first request with the key, or this one if it is the first. Its agents are those of all repetitions. Throws if
 * the key was used with another body. */
export async function beginRepeatable<Result extends object>(
  core: Core,
  caller: Caller,
  key: IdempotencyKey,
  selectAgents: () => Promise<string[]>,
): Promise<Repeatable<Result>> {
  const { teamId } = caller
  const { id, agent_ids: agentIds, results } = await claimKey<Result>(core, caller, key, selectAgents)
  const changes = results ? [] : await findDoneChanges(core.database.of(teamId), teamId, id)
  return { id, agentIds, results, done: new Map(changes.map((change) => [change.agent_id, change])) }
}

async function claimKey<Result>(
  { database, now, newId }: Core,
  caller: Caller,
  key: IdempotencyKey,
  selectAgents: () => Promise<string[]>,
): Promise<StoredRequest<Result>> {
  const sql = database.of(caller.teamId)
  const at = Math.floor(now() / 1_000)
  const find = async () => {
    const ids = { now: at, eventId: newId() }
    const found = await findUsedKey<StoredRequest<Result>>(sql, caller, key, REQUESTS, ids)
    if (found?.is_same === false) throw new Problem('idempotency_conflict')
    return found
  }
  const first = await find()
  if (first) return first
  const request = { id: newId(), agent_ids: await selectAgents(), results: null }
  if (await insertRequest(sql, caller.teamId, key, request, at)) return request
  const other = await find()
  if (!other) throw new Error('The idempotency key conflicts with a row that cannot be found')
  return other
}

const REQUESTS = { table: 'bulk_requests', columns: 'id, agent_ids, results', agent: 'NULL::uuid' } as const

/** Returns false if the key was used before. */
async function insertRequest(
  sql: Statements,
  teamId: string,
  { key, requestHashes }: IdempotencyKey,
  { id, agent_ids: agentIds }: StoredRequest<unknown>,
  now: number,
): Promise<boolean> {
  const rows = await sql.write(named('insert-bulk')`
INSERT INTO bulk_requests (team_id, key, request_hash, id, agent_ids, created_at)
VALUES (${teamId}, ${key}, ${requestHashes[0]}, ${id}, ${agentIds}, ${now})
ON CONFLICT DO NOTHING
RETURNING 1`)
  return rows.length > 0
}

/** The changes that a request has made, also in a repetition that runs at the same time: of all agents, or of one. */
export async function findDoneChanges(
  sql: Statements,
  teamId: string,
  bulkId: string,
  agentId: string | null = null,
): Promise<DoneChange[]> {
  const agent = param(agentId)
  return sql.read(named('find-bulk-changes')`
SELECT agent_id, revision, fields FROM bulk_changes
WHERE team_id = ${teamId} AND bulk_id = ${bulkId} AND (${agent}::uuid IS NULL OR agent_id = ${agent})`)
}

export async function storeResults(
  sql: Statements,
  teamId: string,
  { key }: IdempotencyKey,
  results: readonly object[],
): Promise<void> {
  await sql.write(named('store-bulk-results')`
UPDATE bulk_requests SET results = ${JSON.stringify(results)}
WHERE team_id = ${teamId} AND key = ${key} AND results IS NULL`)
}

/** Each has up to 1,000 changes. */
const EXPIRY_BATCH = 10

/** Deletes the oldest requests from before a time in seconds. Returns whether there may be more. */
export async function deleteExpiredBulks(sql: Statements, before: number): Promise<boolean> {
  const deleted = await sql.write(unnamed`
WITH expired AS (
  DELETE FROM bulk_requests
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM bulk_requests WHERE created_at < ${before} ORDER BY created_at LIMIT ${raw(EXPIRY_BATCH)}
  ))
  RETURNING team_id, id
), changes AS (
  DELETE FROM bulk_changes c USING expired e WHERE c.team_id = e.team_id AND c.bulk_id = e.id
)
SELECT FROM expired`)
  return deleted.length === EXPIRY_BATCH
}
