import type { AgentUpdate } from '../../contract/agent.ts'
import type { AgentFiltersQuery } from '../../contract/agent-filters.ts'
import { type AgentBulk, BULK_PERMISSIONS, type BulkAction } from '../../contract/bulk.ts'
import type { AgentLifecycle } from '../../contract/lifecycle.ts'
import { PermissionMissing } from '../../contract/problem.ts'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { settableValues } from '../compare.ts'
import { refuseCredentialInReason } from '../lifecycle/service.ts'
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
export function readBulkRequest(caller: Caller, body: AgentBulk): BulkRequest {
  const [action, ...others] = ACTIONS.filter((name) => body[name] !== undefined)
  if (action === undefined || others.length > 0) {
    throw new RequestValidationError([fault([], 'send exactly one of update, lifecycle and delete')])
  }
  const permission = BULK_PERMISSIONS[action]
  if (!caller.permissions.has(permission)) throw new PermissionMissing(permission)
  const selection = readSelection(body)
  const change = readChange(action, body)
  const findings = inspect(change.action === 'update' ? settableValues(change.update) : {})
  refuse(findings.faults.map(({ path, reason }) => fault(['update', ...path], reason)))
  return {
    change,
    selection,
    isDryRun: body.dry_run ?? false,
    credentialWarnings: findings.warnings,
  }
}

function readSelection({
  agents,
  filters,
  expected_count: expectedCount,
  dry_run: isDryRun,
}: AgentBulk): BulkRequest['selection'] {
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

const fault = (path: ValidationError['loc'], reason: string): ValidationError => ({
  ...{ loc: ['body', ...path], msg: `Value error, ${reason}`, type: 'value_error' },
})

function refuse(errors: ValidationError[]): void {
  if (errors.length > 0) throw new RequestValidationError(errors)
}
