import type { Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { findUsedKey, type IdempotencyKey } from '../configuration/idempotency.ts'

/** A bulk request or an import with an idempotency key. */
export interface StoredBulk<Item> {
  id: string
  /** Empty for an import, whose rows name its agents. */
  agent_ids: string[]
  /** Null until the request is complete. */
  results: Item[] | null
}

export interface BulkChangeRow {
  agent_id: string
  revision: number
  fields: string[]
}

/** Undefined if the key was not used before. */
export function findBulk<Item>(
  sql: Statements,
  caller: Caller,
  key: IdempotencyKey,
  at: { now: number; eventId: string },
): Promise<(StoredBulk<Item> & { is_same: boolean }) | undefined> {
  return findUsedKey<StoredBulk<Item>>(sql, caller, key, REQUESTS, at)
}

const REQUESTS = { table: 'bulk_requests', columns: 'id, agent_ids, results', agent: 'NULL::uuid' } as const

/** Returns false if the key was used before. */
export async function insertBulk(
  sql: Statements,
  teamId: string,
  { key, requestHashes }: IdempotencyKey,
  { id, agent_ids: agentIds }: StoredBulk<unknown>,
  now: number,
): Promise<boolean> {
  const rows = await sql.write({
    name: 'insert-bulk',
    text: `
INSERT INTO bulk_requests (team_id, key, request_hash, id, agent_ids, created_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING 1`,
    values: [teamId, key, requestHashes[0], id, agentIds, now],
  })
  return rows.length > 0
}

/** The changes that a bulk request has made: of all agents, or of one. */
export async function findBulkChanges(
  sql: Statements,
  teamId: string,
  bulkId: string,
  agentId: string | null = null,
): Promise<BulkChangeRow[]> {
  return sql.read({
    name: 'find-bulk-changes',
    text: `
SELECT agent_id, revision, fields FROM bulk_changes
WHERE team_id = $1 AND bulk_id = $2 AND ($3::uuid IS NULL OR agent_id = $3)`,
    values: [teamId, bulkId, agentId],
  })
}

export async function storeResults(
  sql: Statements,
  teamId: string,
  { key }: IdempotencyKey,
  results: readonly object[],
): Promise<void> {
  await sql.write({
    name: 'store-bulk-results',
    text: 'UPDATE bulk_requests SET results = $3 WHERE team_id = $1 AND key = $2 AND results IS NULL',
    values: [teamId, key, JSON.stringify(results)],
  })
}

/** Each has up to 1,000 changes. */
const EXPIRY_BATCH = 10

/** Deletes the oldest requests from before a time in seconds. Returns whether there may be more. */
export async function deleteExpiredBulks(sql: Statements, before: number): Promise<boolean> {
  const deleted = await sql.write({
    name: undefined,
    text: `
WITH expired AS (
  DELETE FROM bulk_requests
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM bulk_requests WHERE created_at < $1 ORDER BY created_at LIMIT ${EXPIRY_BATCH}
  ))
  RETURNING team_id, id
), changes AS (
  DELETE FROM bulk_changes c USING expired e WHERE c.team_id = e.team_id AND c.bulk_id = e.id
)
SELECT FROM expired`,
    values: [before],
  })
  return deleted.length === EXPIRY_BATCH
}
