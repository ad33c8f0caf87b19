import { MAX_VIEWS, type SavedView, type SavedViewContent, type ViewScope } from '../contract/view.ts'
import { type AuditOrigin, auditEvent } from '../platform/database/audit-event.ts'
import type { Statements } from '../platform/database/database.ts'
import { EMPTY, type Fragment, fragment, named, type Param, param, raw } from '../platform/database/sql.ts'

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

const COLUMNS = raw(
  `name, CASE WHEN user_id IS NULL THEN 'team' ELSE 'user' END AS scope, query, columns, updated_at, updated_by`,
)

/** `IS NOT DISTINCT FROM` would not use the index. */
const ownedBy = (team: Param, user: Param | null) =>
  fragment`team_id = ${team} AND ${user ? fragment`user_id = ${user}` : raw('user_id IS NULL')}`

const ownerOf = (scope: ViewScope, userId: string) => (scope === 'user' ? param(userId) : null)

export async function listViews(sql: Statements, teamId: string, userId: string): Promise<SavedView[]> {
  const team = param(teamId)
  return sql.read(named('list-views')`
SELECT ${COLUMNS} FROM saved_views
WHERE ${ownedBy(team, param(userId))} OR ${ownedBy(team, null)}
ORDER BY user_id IS NULL, name`)
}

/** Undefined if there is no such view. */
export async function findView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
): Promise<SavedView | undefined> {
  const owner = ownerOf(scope, userId)
  const [row] = await sql.read<SavedView>(named(`find-view-of-${scope}`)`
SELECT ${COLUMNS} FROM saved_views WHERE ${ownedBy(param(teamId), owner)} AND name = ${name}`)
  return row
}

/** Undefined if the owner has too many views. Requests at the same time may exceed the limit by their number. */
export async function saveView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
  { query, columns }: SavedViewContent,
  change: ViewChange,
): Promise<SavedView | undefined> {
  const team = param(teamId)
  const owner = ownerOf(scope, userId)
  const view = param(name)
  const [row] = await sql.write<SavedView>(named(`save-view-of-${scope}`)`
WITH stored AS MATERIALIZED (
  SELECT name FROM saved_views WHERE ${ownedBy(team, owner)}
), saved AS (
  INSERT INTO saved_views (team_id, user_id, name, query, columns, updated_at, updated_by)
  SELECT ${team}, ${owner}, ${view}, ${query}, ${columns}, ${change.nowSeconds}, ${userId}
  WHERE EXISTS (SELECT FROM stored WHERE name = ${view}) OR (SELECT count(*) FROM stored) < ${raw(MAX_VIEWS)}
  ON CONFLICT (team_id, user_id, name) DO UPDATE
  SET query = excluded.query, columns = excluded.columns, updated_at = excluded.updated_at,
    updated_by = excluded.updated_by
  RETURNING *
)${audited(scope, team, 'view_saved', change, raw('saved'))}
SELECT ${COLUMNS} FROM saved`)
  return row
}

/** A view of a user is of no interest to the team. */
function audited(
  scope: ViewScope,
  team: Param,
  action: 'view_saved' | 'view_deleted',
  { origin, nowSeconds, auditDetail }: ViewChange,
  changed: Fragment,
): Fragment {
  if (scope === 'user') return EMPTY
  const detail = JSON.stringify(auditDetail)
  return fragment`, audited AS (
  ${auditEvent(origin, { team, at: nowSeconds, action, agent: null, detail })} FROM ${changed}
)`
}

/** Returns whether there was such a view. */
export async function deleteView(
  sql: Statements,
  { teamId, userId, scope, name }: ViewKey,
  change: ViewChange,
): Promise<boolean> {
  const team = param(teamId)
  const rows = await sql.write(named(`delete-view-of-${scope}`)`
WITH deleted AS (
  DELETE FROM saved_views WHERE ${ownedBy(team, ownerOf(scope, userId))} AND name = ${name} RETURNING 1
)${audited(scope, team, 'view_deleted', change, raw('deleted'))}
SELECT FROM deleted`)
  return rows.length > 0
}
