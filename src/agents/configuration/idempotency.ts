import { auditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { SecretText } from '../../platform/secret-text.ts'
import type { Secrets } from '../../platform/secrets.ts'

/** The idempotency key of a creation, and the hash of its body. */
export interface IdempotencyKey {
  /** With the user: a key that another member of the team uses tells nothing about that creation. */
  key: string
  /** One hash for each encryption key; the first is stored. */
  requestHashes: Buffer[]
}

/** The hash is an HMAC like the fingerprint of a secret, because the body may contain a secret. The empty `agentId`
 * separates these hashes from fingerprints. */
export function toIdempotencyKey(
  secrets: Secrets,
  { teamId, userId }: Caller,
  given: string | undefined,
  body: object,
): IdempotencyKey | undefined {
  if (given === undefined) return undefined
  const key = `${userId}:${given}`
  const place = { teamId, agentId: '', field: `idempotency_keys ${key}` }
  return { key, requestHashes: secrets.fingerprints(place, new SecretText(canonical(body))) }
}

/** The same text for every order of the members. */
function canonical(body: object): string {
  return JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** The agent that the first request with this key created, and whether that request had the same body. If it had not, writes
 * an audit event: who repeats a creation with other bodies may be guessing. */
export async function findIdempotencyKey(
  sql: Statements,
  caller: Caller,
  { key, requestHashes }: IdempotencyKey,
  { now, eventId }: { now: number; eventId: string },
): Promise<{ agent_id: string; is_same: boolean } | undefined> {
  const [row] = await sql.write<{ agent_id: string; is_same: boolean }>({
    name: 'find-idempotency-key',
    text: FIND_KEY,
    values: [caller.teamId, key, requestHashes, now, ...originParameters(auditOrigin(caller, eventId))],
  })
  return row
}

const FIND_KEY = `
WITH found AS (
  SELECT agent_id, request_hash = ANY ($3::bytea[]) AS is_same FROM idempotency_keys WHERE team_id = $1 AND key = $2
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $6, $4, $5, 'idempotency_conflict', agent_id, $7, $8, $9, '{}' FROM found WHERE NOT is_same
)
SELECT agent_id, is_same FROM found`

/** Deletes the oldest keys from before a time in seconds. Returns whether there may be more. A key is honoured until it is
 * deleted. */
export async function deleteExpiredKeys(sql: Statements, before: number): Promise<boolean> {
  const deleted = await sql.write({
    name: undefined,
    text: `
DELETE FROM idempotency_keys
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT ${EXPIRY_BATCH}
))
RETURNING 1`,
    values: [before],
  })
  return deleted.length === EXPIRY_BATCH
}

const EXPIRY_BATCH = 1_000
