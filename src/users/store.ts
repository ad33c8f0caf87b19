import type { User } from '../contract/user.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../platform/database/audit-sql.ts'
import type { Statements } from '../platform/database/database.ts'

export type TeamUser = User & { team_id: string }

/** Of several names of a user, the last one counts. */
export async function storeNames(sql: Statements, users: TeamUser[]): Promise<void> {
  await sql.write({
    name: 'store-user-names',
    text: STORE,
    values: [
      users.map(({ team_id }) => team_id),
      users.map(({ user_id }) => user_id),
      users.map(({ name }) => name),
      users.map(({ changed_at }) => changed_at),
    ],
  })
}

/** In the order of the key, so that two replicas that store the same users do not wait for each other in a circle. */
const STORE = `
INSERT INTO users (team_id, user_id, name, changed_at)
SELECT DISTINCT ON (team_id, user_id) team_id, user_id, name, changed_at
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) WITH ORDINALITY
  AS given (team_id, user_id, name, changed_at, place)
ORDER BY team_id, user_id, place DESC
ON CONFLICT (team_id, user_id) DO UPDATE SET name = excluded.name, changed_at = excluded.changed_at
WHERE users.name <> excluded.name`

export function listUsers(sql: Statements, teamId: string, ids: string[]): Promise<User[]> {
  return sql.read({
    name: 'list-users',
    text: `
SELECT user_id, name, changed_at FROM users WHERE team_id = $1 AND user_id = ANY ($2::uuid[]) ORDER BY user_id`,
    values: [teamId, ids],
  })
}

/** Returns whether the team had a name of this user. */
export async function eraseName(
  sql: Statements,
  teamId: string,
  userId: string,
  nowSeconds: number,
  origin: AuditOrigin,
): Promise<boolean> {
  const rows = await sql.write({
    name: 'erase-user-name',
    text: ERASE,
    values: [teamId, userId, nowSeconds, ...originParameters(origin)],
  })
  return rows.length > 0
}

const ERASE = `
WITH erased AS (
  DELETE FROM users WHERE team_id = $1 AND user_id = $2 RETURNING user_id
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $5, $3, $4, 'user_erased', NULL::uuid, $6, $7, $8, json_build_object('user_id', user_id) FROM erased
)
SELECT user_id FROM erased`
