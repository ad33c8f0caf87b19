import type { AgentUpdate } from '../../contract/agent.ts'
import type { AgentFiltersQuery } from '../../contract/agent-filters.ts'
import { type AgentBulk, BULK_PERMISSIONS, type BulkAction, MAX_BULK_AGENTS } from '../../contract/bulk.ts'
import type { AgentLifecycle } from '../../contract/lifecycle.ts'
import { PermissionMissing, Problem } from '../../contract/problem.ts'
import { RequestValidationError, type ValidationError, valueError } from '../../contract/validation-error.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { settableValues } from '../compare.ts'
import { refuseCredentialInReason } from '../lifecycle/service.ts'
import { readFilters } from '../list/filters.ts'
import { countAgents, listAgents } from '../list/store.ts'
import { normalUuid, readNestedValues } from '../nested-values.ts'
import { inspect } from '../secrets/inspect.ts'

/** What happens to each agent. */
export type BulkChange =
  | { action: 'update'; update: AgentUpdate }
  | { action: 'lifecycle'; lifecycle: AgentLifecycle }
  | { action: 'delete'; erase: boolean }

export interface FilterSelection {
  filters: AgentFiltersQuery
  expectedCount: number | undefined
}

export interface BulkRequest {
  change: BulkChange
  /** The agents, or what they must match. */
  selection: { ids: string[]; revisions: ReadonlyMap<string, number> } | FilterSelection
  isDryRun: boolean
  /** Where a value of the update looks like a credential. */
  credentialWarnings: readonly string[]
}

const ACTIONS = Object.keys(BULK_PERMISSIONS) as BulkAction[]

/** Throws for what no agent could accept, and if the caller lacks the permission for the action. */
export function readBulkRequest(caller: Caller, body: AgentBulk, isDryRun: boolean): BulkRequest {
  const [action, ...others] = ACTIONS.filter((name) => body[name] !== undefined)
  if (action === undefined || others.length > 0) {
    throw new RequestValidationError([fault([], 'send exactly one of update, lifecycle and delete')])
  }
  const permission = BULK_PERMISSIONS[action]
  if (!caller.permissions.has(permission)) throw new PermissionMissing(permission)
  const selection = readSelection(body, isDryRun)
  const change = readChange(action, body)
  const findings = inspect(change.action === 'update' ? settableValues(change.update) : {})
  refuse(findings.faults.map(({ path, reason }) => fault(['update', ...path], reason)))
  return {
    change,
    selection,
    isDryRun,
    credentialWarnings: findings.warnings,
  }
}

function readSelection(
  { agents, filters, expected_count: expectedCount }: AgentBulk,
  isDryRun: boolean,
): BulkRequest['selection'] {
  if ((agents === undefined) === (filters === undefined)) {
    refuse([fault([], 'send exactly one of agents and filters')])
  }
  if (filters) {
    if (expectedCount === undefined && !isDryRun) {
      refuse([{ loc: ['body', 'expected_count'], msg: 'Field required', type: 'missing' }])
    }
    return { filters, expectedCount }
  }
  const ids = (agents ?? []).map(({ id }) => normalUuid(id))
  const seen = new Set<string>()
  refuse(
    ids.flatMap((id, index) =>
      seen.size === seen.add(id).size ? [fault(['agents', index, 'id'], 'this agent occurs twice')] : [],
    ),
  )
  const revisions = new Map(
    (agents ?? []).flatMap(({ revision }, index) =>
      revision === undefined ? [] : [[ids[index] as string, revision]],
    ),
  )
  return { ids, revisions }
}

function readChange(action: BulkAction, { update, lifecycle, delete: deletion }: AgentBulk): BulkChange {
  if (action === 'update' && update) return { action, update: readUpdate(update) }
  if (action === 'lifecycle' && lifecycle) {
    refuseCredentialInReason(lifecycle, ['lifecycle'])
    return { action, lifecycle }
  }
  return { action: 'delete', erase: deletion?.erase ?? false }
}

function readUpdate(update: AgentUpdate): AgentUpdate {
  refuse(
    (['api_key', 'white_box_config'] as const)
      .filter((name) => update[name] !== undefined)
      .map((name) =>
        fault(['update', name], 'a bulk request changes no secrets; update each agent by itself'),
      ),
  )
  return readNestedValues(update, 'update')
}

/** The ids and revisions of the agents that match, oldest first. Throws if their number is not the expected one,
 * or too large. */
export async function selectAgents(
  sql: Statements,
  teamId: string,
  { filters: query, expectedCount }: FilterSelection,
): Promise<Map<string, number>> {
  const filters = readFilters(query)
  const { agents, hasNext } = await listAgents(sql, teamId, filters, {
    sort: 'created_at',
    limit: MAX_BULK_AGENTS,
    position: undefined,
    shape: { fields: ['id'] },
  })
  if (hasNext) {
    const count = await countAgents(sql, teamId, filters)
    throw new Problem('too_many_matches', {
      detail:
        `The filters match ${count} agents, and a request changes at most ${MAX_BULK_AGENTS}. Nothing was ` +
        'changed. Narrow the filters, or list the agents and send their ids in several requests.',
    })
  }
  if (expectedCount !== undefined && agents.length !== expectedCount) {
    throw new Problem('match_count_differs', {
      detail:
        `The filters match ${agents.length} agents, and expected_count is ${expectedCount}. Nothing was changed. ` +
        'Send the request with dry_run to see which agents match.',
    })
  }
  return new Map(agents.map(({ id, revision }) => [id, revision]))
}

const fault = (path: ValidationError['loc'], reason: string) => valueError(['body', ...path], reason)

function refuse(errors: ValidationError[]): void {
  if (errors.length > 0) throw new RequestValidationError(errors)
}
