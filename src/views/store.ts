import { MAX_VIEWS, type SavedView, type SavedViewContent, type ViewScope } from '../contract/view.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT } from '../platform/database/audit-sql.ts'
import type { Statements } from '../platform/database/database.ts'

/** A view by its owner and name. */
export interface ViewKey {
  teamId: string
  userId: string
  scope: ViewScope
  name: string
}

interface ViewChange {
  nowSeconds: number
  origin: AuditOrigin
  /** What the audit event says. */
  auditDetail: object
}

/** $1 team, $2 user. `IS NOT DISTINCT FROM` would not use the index. */
const OWNERS = { user: 'team_id = $1 AND user_id = $2', team: 'team_id = $1 AND user_id IS NULL' }

const COLUMNS = `name, CASE WHEN user_id IS NULL THEN 'team' ELSE 'user' END AS scope, query, columns, updated_at, updated_by`

export async function listViews(sql: Statements, teamId: string, userId: string): Promise<SavedView[]> {
  return sql.read({
    name: 'list-views',
    text: `
SELECT ${COLUMNS} FROM saved_views
WHERE ${OWNERS.user} OR ${OWNERS.team}
ORDER BY user_id IS NULL, name`,
    values: [teamId, userId],
  })
}

/** Undefined if there is no such view. */
export async function findView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
): Promise<SavedView | undefined> {
  const [row] = await sql.read<SavedView>({
    name: `find-view-of-${scope}`,
    // Both scopes have the same parameters.
    text: `SELECT ${COLUMNS} FROM saved_views WHERE ${OWNERS[scope]} AND name = $3 AND $2::uuid IS NOT NULL`,
    values: [teamId, userId, name],
  })
  return row
}

/** Undefined if the owner has too many views. Requests at the same time may exceed the limit by their number. */
export async function saveView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
  { query, columns }: SavedViewContent,
  change: ViewChange,
): Promise<SavedView | undefined> {
  const [row] = await sql.write<SavedView>({
    name: `save-view-of-${scope}`,
    text: saveSql(scope),
    values: [...[teamId, userId, name, ...auditParameters(change)], ...[query, columns]],
  })
  return row
}

const saveSql = (scope: ViewScope) => `
WITH stored AS MATERIALIZED (
  SELECT name FROM saved_views WHERE ${OWNERS[scope]}
), saved AS (
  INSERT INTO saved_views (team_id, user_id, name, query, columns, updated_at, updated_by)
  SELECT $1::uuid, ${scope === 'user' ? '$2::uuid' : 'NULL::uuid'}, $3::text, $10::text, $11::text[], $4::bigint, $2::uuid
  WHERE EXISTS (SELECT FROM stored WHERE name = $3) OR (SELECT count(*) FROM stored) < ${MAX_VIEWS}
  ON CONFLICT (team_id, user_id, name) DO UPDATE
  SET query = excluded.query, columns = excluded.columns, updated_at = excluded.updated_at, updated_by = excluded.updated_by
  RETURNING *
), audited AS (
  ${auditSql(scope, 'view_saved', 'saved')}
)
SELECT ${COLUMNS} FROM saved`

function auditParameters({ nowSeconds, origin, auditDetail }: ViewChange): unknown[] {
  const { eventId, requestId, via, clientId } = origin
  return [nowSeconds, eventId, requestId, via, clientId, JSON.stringify(auditDetail)]
}

/** $4 time, $5 id of the audit event, $6 id of the request, $7 interface, $8 application, $9 its detail. A view of a user is of no
 * interest to the team. */
const auditSql = (scope: ViewScope, action: 'view_saved' | 'view_deleted', changed: string) => `
  ${INSERT_AUDIT_EVENT}
  SELECT $1::uuid, $5::uuid, $4::bigint, $2::uuid, '${action}', NULL, $6::text, $7::text, $8::text, $9::json FROM ${changed}
  WHERE ${scope === 'team'}`

/** Returns whether there was such a view. */
export async function deleteView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
  change: ViewChange,
): Promise<boolean> {
  const rows = await sql.write({
    name: `delete-view-of-${scope}`,
    text: `
WITH deleted AS (
  DELETE FROM saved_views WHERE ${OWNERS[scope]} AND name = $3 RETURNING 1
), audited AS (
  ${auditSql(scope, 'view_deleted', 'deleted')}
)
SELECT FROM deleted`,
    values: [teamId, userId, name, ...auditParameters(change)],
  })
  return rows.length > 0
}
