import type { Sql } from '../platform/database.ts'
import { SecretText } from '../platform/secret-text.ts'
import type { Secrets } from '../platform/secrets.ts'

/** A creation that may be sent again: the key its sender chose, and what tells its body from another. */
export interface Claim {
  key: string
  /** One under every key of the ring, the first of which is stored. */
  requestHashes: Buffer[]
}

/** Keyed like the fingerprint of a secret, since the body may hold one. No secret has a place without an agent, so
 * the two are never the same. */
export function toClaim(secrets: Secrets, teamId: string, key: string, body: object): Claim {
  const place = { teamId, agentId: '', field: `idempotency_keys ${key}` }
  return { key, requestHashes: secrets.fingerprints(place, new SecretText(canonical(body))) }
}

/** The order of members is no part of what a body says. */
function canonical(body: object): string {
  return JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Which agent this key made before, and whether of the same body. */
export async function findClaimed(
  sql: Sql,
  teamId: string,
  { key, requestHashes }: Claim,
): Promise<{ agent_id: string; is_same: boolean } | undefined> {
  const [row] = await sql.read<{ agent_id: string; is_same: boolean }>({
    name: 'find-claimed',
    text: `
SELECT agent_id, request_hash = ANY ($3::bytea[]) AS is_same
FROM idempotency_keys
WHERE team_id = $1 AND key = $2`,
    values: [teamId, key, requestHashes],
  })
  return row
}
