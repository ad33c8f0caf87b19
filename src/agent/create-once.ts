import type { Caller } from '../api/caller.ts'
import { type Secrets, SecretText } from '../platform/crypto/secrets.ts'
import { isObject } from '../platform/json.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { fragment, named, param, raw, unnamed } from '../platform/postgres/sql.ts'
import { auditEvent, auditOrigin } from './audit-event.ts'
import type { Claim } from './change-statement.ts'

/** The idempotency key of a creation, and the hash of its body. */
export interface IdempotencyKey {
  /** With the user: a key that another member of the team uses tells nothing about that creation. */
  key: string
  /** One hash for each encryption key; the first is stored. */
  requestHashes: Buffer[]
}

/** The hash is an HMAC like the fingerprint of a secret, because the body may contain a secret. The empty `agentId`
 * separates these hashes from fingerprints, and the prefix separates the keys of operations that share a table. */
export function toIdempotencyKey(
  secrets: Secrets,
  { teamId, userId }: Caller,
  given: string | undefined,
  body: object,
  prefix = '',
): IdempotencyKey | undefined {
  if (given === undefined) return undefined
  const key = `${prefix}${userId}:${given}`
  const place = { teamId, agentId: '', field: `idempotency_keys ${key}` }
  return { key, requestHashes: secrets.fingerprints(place, new SecretText(canonical(body))) }
}

/** Fails if the key was used before. */
export const idempotencyClaim = ({ key, requestHashes }: IdempotencyKey): Claim => ({
  name: 'once',
  sql: ({ team, agent, changedAt }) => fragment`
  INSERT INTO idempotency_keys (team_id, key, request_hash, agent_id, created_at)
  VALUES (${team}, ${key}, ${requestHashes[0]}, ${agent}, ${changedAt})
  ON CONFLICT DO NOTHING`,
})

/** The same text for every order of the members. */
function canonical(body: object): string {
  return JSON.stringify(body, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Where the requests of idempotency keys are stored. */
interface UsedKeys {
  table: 'idempotency_keys' | 'bulk_requests'
  /** What to return of the request, besides `is_same`. */
  columns: string
  /** The agent of the audit event. */
  agent: string
}

/** The first request with this key, and whether it had the same body. If it had not, writes an audit event: who
 * repeats a request with other bodies may be guessing. */
export async function findUsedKey<Row extends object>(
  sql: Statements,
  caller: Caller,
  { key, requestHashes }: IdempotencyKey,
  { table, columns, agent }: UsedKeys,
  { now, eventId }: { now: number; eventId: string },
): Promise<(Row & { is_same: boolean }) | undefined> {
  const team = param(caller.teamId)
  const [row] = await sql.write<Row & { is_same: boolean }>(named(`find-used-key-of-${table}`)`
WITH found AS (
  SELECT ${raw(columns)}, request_hash = ANY (${requestHashes}::bytea[]) AS is_same
  FROM ${raw(table)} WHERE team_id = ${team} AND key = ${key}
), audited AS (
  ${auditEvent(auditOrigin(caller, eventId), {
    team,
    at: now,
    action: 'idempotency_conflict',
    agent: raw(agent),
    detail: '{}',
  })} FROM found WHERE NOT is_same
)
SELECT ${raw(columns)}, is_same FROM found`)
  return row
}

/** Deletes the oldest keys from before a time in seconds. Returns whether there may be more. A key is honoured
 * until it is deleted. */
export async function deleteExpiredKeys(sql: Statements, before: number): Promise<boolean> {
  const deleted = await sql.write(unnamed`
DELETE FROM idempotency_keys
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE created_at < ${before} ORDER BY created_at LIMIT ${raw(EXPIRY_BATCH)}
))
RETURNING 1`)
  return deleted.length === EXPIRY_BATCH
}

/** How long a key protects a request. */
export const KEPT_SECONDS = 7 * 86_400

const EXPIRY_BATCH = 1_000
