import { type Static, Type } from 'typebox'
import { auditEvent, auditOrigin } from '../../agent/audit-event.ts'
import type { Caller } from '../../api/caller.ts'
import { described, oneOf, ref, UNSHOWABLE, UnixSeconds, Uuid } from '../../api/fields.ts'
import {
  PermissionMissing,
  Problem,
  RequestValidationError,
  type ValidationError,
  valueError,
} from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { containsCredential } from '../../platform/crypto/credentials.ts'
import { EMPTY, type Fragment, fragment, named, type Param, param, raw } from '../../platform/postgres/sql.ts'
import { AgentListQuery } from '../list/feature.ts'

export const MAX_VIEWS = 100

const SCOPES = ['user', 'team'] as const
export type ViewScope = (typeof SCOPES)[number]

const VIEW_NAME = Type.String({
  minLength: 1,
  maxLength: 100,
  // The first character is no dot: clients resolve `..` in a path.
  pattern: '^[^\\s\\u0000-\\u001f\\u007f/.][^\\u0000-\\u001f\\u007f/]*$',
  description:
    'Name of the view, 1 to 100 characters, unique in its scope. It has no `/` and no control characters, also none ' +
    'that change the direction of text, and begins with neither a space nor a dot.',
})

const CONTENT = {
  query: Type.String({
    maxLength: 4_000,
    description:
      'Query string of the list of agents without the `?`, percent-encoded: filters, `sort` and `limit`. At most ' +
      '4,000 characters. Other names than those of `GET /v1/agent-configurations`, and `cursor`, get 422. Empty: all ' +
      'agents.',
  }),
  columns: Type.Array(Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_.]*$' }), {
    maxItems: 50,
    description:
      'Columns that the client shows, in their order: names of fields, such as `agent_name` or ' +
      '`latest_evaluation.overall_score`. At most 50. Empty: the client chooses.',
  }),
}

export const SavedViewContent = Type.Object(CONTENT, {
  $id: 'SavedViewContent',
  description: 'What a view shows.',
  examples: [
    { query: 'statuses=active&statuses=under_review&sort=agent_name', columns: ['agent_name', 'model_name'] },
  ],
})
export type SavedViewContent = Static<typeof SavedViewContent>

export const SavedView = Type.Object(
  {
    name: VIEW_NAME,
    scope: oneOf(SCOPES, { description: '`user`: of the caller alone. `team`: of the whole team.' }),
    ...CONTENT,
    updated_at: described(UnixSeconds, 'Time of the last change, Unix time in seconds.'),
    updated_by: described(Uuid, 'User that made the last change.'),
  },
  { $id: 'SavedView', description: 'A view of the list of agents that a user has saved.' },
)
export type SavedView = Static<typeof SavedView>

export const SavedViewList = Type.Object(
  {
    results: Type.Array(ref(SavedView), {
      description: 'The views of the caller, then those of the team, each by name. At most 100 of each.',
    }),
  },
  { $id: 'SavedViewList', description: 'The views that a caller can use.' },
)
export type SavedViewList = Static<typeof SavedViewList>

export const ViewName = Type.Object({ name: VIEW_NAME })

export const ViewQuery = Type.Object({
  scope: Type.Optional(
    oneOf(SCOPES, {
      default: 'user',
      description:
        '`user`: a view of the caller alone. `team`: a view of the whole team; to change it needs `agent:write`. ' +
        'Default: `user`.',
    }),
  ),
})

export const VIEW_SCHEMAS = [SavedViewContent, SavedView, SavedViewList]

/** A view by its name, unique in its scope. */
export interface ViewKey {
  name: string
  /** Default: `user`. */
  scope?: ViewScope | undefined
}

const COLUMNS = raw(
  `name, CASE WHEN user_id IS NULL THEN 'team' ELSE 'user' END AS scope, query, columns, updated_at, updated_by`,
)

/** `IS NOT DISTINCT FROM` would not use the index. */
const ownedBy = (team: Param, user: Param | null) =>
  fragment`team_id = ${team} AND ${user ? fragment`user_id = ${user}` : raw('user_id IS NULL')}`

const ownerOf = (scope: ViewScope, userId: string) => (scope === 'user' ? param(userId) : null)

export async function listViews({ database }: Core, { teamId, userId }: Caller): Promise<SavedViewList> {
  const team = param(teamId)
  const results = await database.of(teamId).read<SavedView>(named('list-views')`
SELECT ${COLUMNS} FROM saved_views
WHERE ${ownedBy(team, param(userId))} OR ${ownedBy(team, null)}
ORDER BY user_id IS NULL, name`)
  return { results }
}

export async function readView(
  { database }: Core,
  { teamId, userId }: Caller,
  { name, scope = 'user' }: ViewKey,
): Promise<SavedView> {
  const owner = ownerOf(scope, userId)
  const [found] = await database.of(teamId).read<SavedView>(named(`find-view-of-${scope}`)`
SELECT ${COLUMNS} FROM saved_views WHERE ${ownedBy(param(teamId), owner)} AND name = ${name}`)
  if (!found) throw new Problem('view_not_found')
  return found
}

/** Requests at the same time may exceed the maximum number of views by their number. */
export async function saveView(
  core: Core,
  caller: Caller,
  { name, scope = 'user' }: ViewKey,
  { query, columns }: SavedViewContent,
): Promise<SavedView> {
  requirePermission(caller, scope)
  refuseFaults(name, query)
  const { teamId, userId } = caller
  const team = param(teamId)
  const owner = ownerOf(scope, userId)
  const view = param(name)
  const at = Math.floor(core.now() / 1_000)
  const [saved] = await core.database.of(teamId).write<SavedView>(named(`save-view-of-${scope}`)`
WITH stored AS MATERIALIZED (
  SELECT name FROM saved_views WHERE ${ownedBy(team, owner)}
), saved AS (
  INSERT INTO saved_views (team_id, user_id, name, query, columns, updated_at, updated_by)
  SELECT ${team}, ${owner}, ${view}, ${query}, ${columns}, ${at}, ${userId}
  WHERE EXISTS (SELECT FROM stored WHERE name = ${view}) OR (SELECT count(*) FROM stored) < ${raw(MAX_VIEWS)}
  ON CONFLICT (team_id, user_id, name) DO UPDATE
  SET query = excluded.query, columns = excluded.columns, updated_at = excluded.updated_at,
    updated_by = excluded.updated_by
  RETURNING *
)${scope === 'team' ? audited(core, caller, name, 'view_saved', raw('saved')) : EMPTY}
SELECT ${COLUMNS} FROM saved`)
  if (!saved) throw new Problem('too_many_views')
  return saved
}

export async function deleteView(
  core: Core,
  caller: Caller,
  { name, scope = 'user' }: ViewKey,
): Promise<void> {
  requirePermission(caller, scope)
  const { teamId, userId } = caller
  const owner = ownerOf(scope, userId)
  const rows = await core.database.of(teamId).write(named(`delete-view-of-${scope}`)`
WITH deleted AS (
  DELETE FROM saved_views WHERE ${ownedBy(param(teamId), owner)} AND name = ${name} RETURNING 1
)${scope === 'team' ? audited(core, caller, name, 'view_deleted', raw('deleted')) : EMPTY}
SELECT FROM deleted`)
  if (rows.length === 0) throw new Problem('view_not_found')
}

/** Only for a view of the team: one of a user is of no interest to others. */
function audited(
  { now, newId }: Core,
  caller: Caller,
  name: string,
  action: 'view_saved' | 'view_deleted',
  changed: Fragment,
): Fragment {
  const at = Math.floor(now() / 1_000)
  const detail = JSON.stringify({ view: name, reason: caller.reason })
  const team = param(caller.teamId)
  return fragment`, audited AS (
  ${auditEvent(auditOrigin(caller, newId()), { team, at, action, agent: null, detail })} FROM ${changed}
)`
}

function requirePermission({ permissions }: Caller, scope: ViewScope): void {
  if (scope === 'user' || permissions.has('agent:write')) return
  throw new PermissionMissing('agent:write', {
    detail: 'A change of a view of the team needs the permission agent:write.',
  })
}

/** A cursor belongs to one moment. */
const QUERY_NAMES = Object.keys(AgentListQuery.properties).filter((name) => name !== 'cursor')

/** The audit log, which never changes, has the name. A misspelt filter would show other agents than meant. */
function refuseFaults(name: string, query: string): void {
  // The `&` keeps URLSearchParams from ignoring a `?`.
  const unknown = [...new URLSearchParams(`&${query}`).keys()].find((key) => !QUERY_NAMES.includes(key))
  const errors: ValidationError[] = [
    // Not in the pattern of the name, so that a view which has such a name can still be deleted.
    ...(UNSHOWABLE.test(name)
      ? [valueError(['path', 'name'], 'a name must not contain control characters')]
      : []),
    ...(containsCredential(name)
      ? [valueError(['path', 'name'], 'a name must not contain a credential')]
      : []),
    ...(unknown === undefined
      ? []
      : [valueError(['body', 'query'], `the list of agents takes only ${QUERY_NAMES.join(', ')}`)]),
  ]
  if (errors.length > 0) throw new RequestValidationError(errors)
}
