import { AgentListQuery } from '../contract/list.ts'
import { PermissionMissing, Problem } from '../contract/problem.ts'
import { UNSHOWABLE } from '../contract/shown-text.ts'
import { RequestValidationError, type ValidationError } from '../contract/validation-error.ts'
import type { SavedView, SavedViewContent, SavedViewList, ViewScope } from '../contract/view.ts'
import { auditOrigin } from '../platform/database/audit-event.ts'
import type { Sessions } from '../platform/database/database.ts'
import type { Caller } from '../platform/identity/identity.ts'
import { containsCredential } from '../platform/secrets/credential-patterns.ts'
import { deleteView, findView, listViews, saveView, type ViewKey } from './store.ts'

interface ViewsDeps {
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Views = ReturnType<typeof createViews>

export function createViews({ sql, now, newId }: ViewsDeps) {
  const keyOf = ({ teamId, userId }: Caller, name: string, scope: ViewScope): ViewKey => ({
    ...{ teamId, userId, scope, name },
  })
  const changeOf = (caller: Caller, name: string) => ({
    nowSeconds: Math.floor(now() / 1_000),
    origin: auditOrigin(caller, newId()),
    auditDetail: { view: name, reason: caller.reason },
  })

  return {
    async list({ teamId, userId }: Caller): Promise<SavedViewList> {
      return { results: await listViews(sql.of(teamId), teamId, userId) }
    },

    async read(caller: Caller, name: string, scope: ViewScope): Promise<SavedView> {
      const found = await findView(sql.of(caller.teamId), keyOf(caller, name, scope))
      if (!found) throw new Problem('view_not_found')
      return found
    },

    async save(
      caller: Caller,
      name: string,
      scope: ViewScope,
      content: SavedViewContent,
    ): Promise<SavedView> {
      requirePermission(caller, scope)
      refuseFaults(name, content)
      const saved = await saveView(
        sql.of(caller.teamId),
        keyOf(caller, name, scope),
        content,
        changeOf(caller, name),
      )
      if (!saved) throw new Problem('too_many_views')
      return saved
    },

    async delete(caller: Caller, name: string, scope: ViewScope): Promise<void> {
      requirePermission(caller, scope)
      const isDeleted = await deleteView(
        sql.of(caller.teamId),
        keyOf(caller, name, scope),
        changeOf(caller, name),
      )
      if (!isDeleted) throw new Problem('view_not_found')
    },
  }
}

function requirePermission({ permissions }: Caller, scope: ViewScope): void {
  if (scope === 'user' || permissions.has('agent:write')) return
  throw new PermissionMissing('agent:write', {
    detail: 'A change of a view of the team needs the permission agent:write.',
  })
}

/** A cursor belongs to one moment. */
const QUERY_NAMES = Object.keys(AgentListQuery.properties).filter((name) => name !== 'cursor')

/** The audit log, which never changes, has the name. A misspelt filter would show other agents than its author meant.
 * */
function refuseFaults(name: string, { query }: SavedViewContent): void {
  // The `&` keeps URLSearchParams from ignoring a `?`.
  const unknown = [...new URLSearchParams(`&${query}`).keys()].find((key) => !QUERY_NAMES.includes(key))
  const errors: ValidationError[] = [
    // Not in the pattern of the name, so that a view which has such a name can still be deleted.
    ...(UNSHOWABLE.test(name) ? [fault(['path', 'name'], 'a name must not contain control characters')] : []),
    ...(containsCredential(name) ? [fault(['path', 'name'], 'a name must not contain a credential')] : []),
    ...(unknown === undefined
      ? []
      : [fault(['body', 'query'], `the list of agents takes only ${QUERY_NAMES.join(', ')}`)]),
  ]
  if (errors.length > 0) throw new RequestValidationError(errors)
}

const fault = (loc: string[], reason: string): ValidationError => ({
  ...{ loc, msg: `Value error, ${reason}`, type: 'value_error' },
})
