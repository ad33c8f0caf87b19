import { findUsedKey, type IdempotencyKey } from '../../agent/create-once.ts'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Sessions, Statements } from '../../platform/postgres/database.ts'
import { named, param, raw, unnamed } from '../../platform/postgres/sql.ts'

// What makes a request that changes many agents safe to repeat: the request is stored with its idempotency key, and
// each change leaves a row that names the request.

export interface RepetitionDeps {
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** A request with an idempotency key, and what it has done so far. */
export interface Repeatable<Result> {
  /** Marks the changes of the request. */
  id: string
  agentIds: readonly string[]
  /** Null until the request is complete. */
  results: Result[] | null
  /** The changes that were made before, by agent. */
  done: ReadonlyMap<string, DoneChange>
  /** The change of one agent, which a repetition that runs at the same time may have made. */
  findDone: (agentId: string) => Promise<DoneChange | undefined>
  storeResults: (results: readonly Result[]) => Promise<void>
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

/** The first request with the key, or this one if it is the first. Throws if the key was used with another body. */
export async function beginRepeatable<Result extends object>(
  deps: RepetitionDeps,
  caller: Caller,
  key: IdempotencyKey,
  selectAgents: () => Promise<string[]>,
): Promise<Repeatable<Result>> {
  const { teamId } = caller
  const sql = deps.sql.of(teamId)
  const { id, agent_ids: agentIds, results } = await claim<Result>(deps, caller, key, selectAgents)
  const findChanges = (agentId?: string) => findBulkChanges(sql, teamId, id, agentId)
  const changes = results ? [] : await findChanges()
  return {
    id,
    agentIds,
    results,
    done: new Map(changes.map((change) => [change.agent_id, change])),
    findDone: async (agentId) => (await findChanges(agentId))[0],
    storeResults: (items) => storeResults(sql, teamId, key, items),
  }
}

/** The agents of the first request are those of all its repetitions. */
async function claim<Result>(
  deps: RepetitionDeps,
  caller: Caller,
  key: IdempotencyKey,
  selectAgents: () => Promise<string[]>,
): Promise<StoredRequest<Result>> {
  const sql = deps.sql.of(caller.teamId)
  const at = Math.floor(deps.now() / 1_000)
  const find = async () => {
    const found = await findBulk<Result>(sql, caller, key, { now: at, eventId: deps.newId() })
    if (found?.is_same === false) throw new Problem('idempotency_conflict')
    return found
  }
  const first = await find()
  if (first) return first
  const request = { id: deps.newId(), agent_ids: await selectAgents(), results: null }
  if (await insertBulk(sql, caller.teamId, key, request, at)) return request
  const other = await find()
  if (!other) throw new Error('The idempotency key conflicts with a row that cannot be found')
  return other
}

/** Undefined if the key was not used before. */
function findBulk<Result>(
  sql: Statements,
  caller: Caller,
  key: IdempotencyKey,
  at: { now: number; eventId: string },
): Promise<(StoredRequest<Result> & { is_same: boolean }) | undefined> {
  return findUsedKey<StoredRequest<Result>>(sql, caller, key, REQUESTS, at)
}

const REQUESTS = { table: 'bulk_requests', columns: 'id, agent_ids, results', agent: 'NULL::uuid' } as const

/** Returns false if the key was used before. */
async function insertBulk(
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

/** The changes that a bulk request has made: of all agents, or of one. */
async function findBulkChanges(
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

async function storeResults(
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
