import type { AgentBulkItem } from '../../contract/bulk.ts'
import { auditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import type { IdempotencyKey } from '../configuration/idempotency.ts'

/** A bulk request with an idempotency key. */
export interface StoredBulk {
  id: string
  agent_ids: string[]
  /** Null until the request is complete. */
  results: AgentBulkItem[] | null
}

export interface BulkChangeRow {
  agent_id: string
  revision: number
  fields: string[]
}

/** Undefined if the key was not used before. If it was used with another body, writes an audit event, as for creations. */
export async function findBulk(
  sql: Statements,
  caller: Caller,
  { key, requestHashes }: IdempotencyKey,
  { now, eventId }: { now: number; eventId: string },
): Promise<(StoredBulk & { is_same: boolean }) | undefined> {
  const [row] = await sql.write<StoredBulk & { is_same: boolean }>({
    name: 'find-bulk',
    text: FIND_BULK,
    values: [caller.teamId, key, requestHashes, now, ...originParameters(auditOrigin(caller, eventId))],
  })
  return row
}

const FIND_BULK = `
WITH found AS (
  SELECT id, agent_ids, results, request_hash = ANY ($3::bytea[]) AS is_same FROM bulk_requests
  WHERE team_id = $1 AND key = $2
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $6, $4, $5, 'idempotency_conflict', NULL::uuid, $7, $8, $9, '{}' FROM found WHERE NOT is_same
)
SELECT id, agent_ids, results, is_same FROM found`

/** Returns false if the key was used before. */
export async function insertBulk(
  sql: Statements,
  teamId: string,
  { key, requestHashes }: IdempotencyKey,
  { id, agent_ids: agentIds }: StoredBulk,
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
  results: readonly AgentBulkItem[],
): Promise<void> {
  await sql.write({
    name: 'store-bulk-results',
    text: 'UPDATE bulk_requests SET results = $3 WHERE team_id = $1 AND key = $2 AND results IS NULL',
    values: [teamId, key, JSON.stringify(results)],
  })
}

/** Each has up to 500 changes. */
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
