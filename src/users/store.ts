import type { User } from '../contract/user.ts'
import { type AuditOrigin, auditEvent } from '../platform/database/audit-event.ts'
import type { Statements } from '../platform/database/database.ts'
import { fragment, named, param } from '../platform/database/sql.ts'

export type TeamUser = User & { team_id: string }

/** Of several names of a user, the last one counts. */
export async function storeNames(sql: Statements, users: TeamUser[]): Promise<void> {
  // In the order of the key, so that two replicas that store the same users do not wait for each other in a circle.
  await sql.write(named('store-user-names')`
INSERT INTO users (team_id, user_id, name, changed_at)
SELECT DISTINCT ON (team_id, user_id) team_id, user_id, name, changed_at
FROM unnest(
  ${users.map(({ team_id }) => team_id)}::uuid[],
  ${users.map(({ user_id }) => user_id)}::uuid[],
  ${users.map(({ name }) => name)}::text[],
  ${users.map(({ changed_at }) => changed_at)}::bigint[]
) WITH ORDINALITY
  AS given (team_id, user_id, name, changed_at, place)
ORDER BY team_id, user_id, place DESC
ON CONFLICT (team_id, user_id) DO UPDATE SET name = excluded.name, changed_at = excluded.changed_at
WHERE users.name <> excluded.name`)
}

export function listUsers(sql: Statements, teamId: string, ids: string[]): Promise<User[]> {
  return sql.read(named('list-users')`
SELECT user_id, name, changed_at FROM users
WHERE team_id = ${teamId} AND user_id = ANY (${ids}::uuid[])
ORDER BY user_id`)
}

/** Returns whether the team had a name of this user. */
export async function eraseName(
  sql: Statements,
  teamId: string,
  userId: string,
  nowSeconds: number,
  origin: AuditOrigin,
): Promise<boolean> {
  const team = param(teamId)
  const rows = await sql.write(named('erase-user-name')`
WITH erased AS (
  DELETE FROM users WHERE team_id = ${team} AND user_id = ${userId} RETURNING user_id
), audited AS (
  ${auditEvent(origin, {
    team,
    at: nowSeconds,
    action: 'user_erased',
    agent: null,
    detail: fragment`json_build_object('user_id', user_id)`,
  })} FROM erased
)
SELECT user_id FROM erased`)
  return rows.length > 0
}
