import { updateAgent } from '../../agent/agents.ts'
import type { ChangeConditions } from '../../agent/change.ts'
import { normalUuid, readNestedValues } from '../../agent/columns.ts'
import { settableValues } from '../../agent/compare.ts'
import { toIdempotencyKey } from '../../agent/create-once.ts'
import { findImpact } from '../../agent/dependents.ts'
import { checkDeletion, deleteAgent } from '../../agent/lifecycle/deletion.ts'
import {
  type AgentLifecycle,
  changeTrustStage,
  refuseCredentialInReason,
} from '../../agent/lifecycle/lifecycle.ts'
import type { AgentUpdate } from '../../agent/schema.ts'
import { inspect } from '../../agent/secrets/inspect.ts'
import type { Caller } from '../../api/caller.ts'
import {
  PermissionMissing,
  Problem,
  RequestValidationError,
  type ValidationError,
  valueError,
} from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { type AgentFiltersQuery, countAgents, findAgents, readFilters } from '../list/feature.ts'
import {
  type AgentBulk,
  type AgentBulkResult,
  BULK_PERMISSIONS,
  type BulkAction,
  type BulkErrorCode,
  type BulkItemResult,
  MAX_BULK_AGENTS,
  MAX_BULK_ERRORS,
} from './bulk-schema.ts'
import type { DoneChange } from './repetition.ts'
import { type Batch, type BatchOptions, runBatch } from './run-batch.ts'

interface BulkOptions extends BatchOptions {
  refuseIfDependents: ChangeConditions['refuseIfDependents']
}

/** Changes many agents. */
export async function bulkChange(
  core: Core,
  caller: Caller,
  body: AgentBulk,
  { isDryRun, idempotencyKey, refuseIfDependents, ...options }: BulkOptions,
): Promise<{ result: AgentBulkResult; credentialWarnings: readonly string[] }> {
  const request = readBulkRequest(caller, body, isDryRun)
  const key = isDryRun ? undefined : toIdempotencyKey(core.secrets, caller, idempotencyKey, ['bulk', body])
  const batch = new BulkBatch(core, caller, request, { isDryRun, refuseIfDependents })
  const results = await runBatch({ core, caller, key, ...options }, batch)
  return { result: toResult(results, isDryRun), credentialWarnings: request.credentialWarnings }
}

/** So few that a search of another team does not wait for long. */
const IMPACTS_AT_A_TIME = 50

class BulkBatch implements Batch<string, BulkItemResult> {
  readonly #core: Core
  readonly #caller: Caller
  readonly #request: BulkRequest
  readonly #conditions: Pick<BulkOptions, 'isDryRun' | 'refuseIfDependents'>
  /** Those of the request, or those at which the filters matched: an agent that has changed since may match no
   * longer. */
  #revisions: ReadonlyMap<string, number>

  constructor(
    core: Core,
    caller: Caller,
    request: BulkRequest,
    conditions: Pick<BulkOptions, 'isDryRun' | 'refuseIfDependents'>,
  ) {
    this.#core = core
    this.#caller = caller
    this.#request = request
    this.#conditions = conditions
    this.#revisions = 'ids' in request.selection ? request.selection.revisions : new Map()
  }

  async selectAgents(): Promise<string[]> {
    const { selection } = this.#request
    if ('ids' in selection) return selection.ids
    const { teamId } = this.#caller
    this.#revisions = await selectAgents(this.#core.database.searches.of(teamId), teamId, selection)
    return [...this.#revisions.keys()]
  }

  readItems = async (agentIds: readonly string[]) => agentIds

  agentOf = (id: string) => id

  apply(id: string, bulkId: string | undefined): Promise<BulkItemResult> {
    const revision = this.#revisions.get(id)
    const expectedRevisions = revision === undefined ? null : [revision]
    const conditions = { ...this.#conditions, expectedRevisions, bulkId }
    return changeItem(this.#core, this.#caller, this.#request.change, id, conditions)
  }

  done = (id: string, change: DoneChange) => succeeded(id, 'changed', change)

  failed = (id: string, error: unknown) => failed(id, this.#request.change.action, error)

  /** Adds to what would change the agents that delegate to it. */
  async finish(results: readonly BulkItemResult[]): Promise<void> {
    const { teamId } = this.#caller
    const searches = this.#core.database.searches.of(teamId)
    const affected = results.filter(({ outcome }) => outcome === 'would_change')
    for (let start = 0; start < affected.length; start += IMPACTS_AT_A_TIME) {
      const some = affected.slice(start, start + IMPACTS_AT_A_TIME)
      const ids = some.map(({ id }) => id)
      const impacts = await findImpact(searches, teamId, ids)
      for (const [index, result] of some.entries()) result.impact = impacts[index] ?? null
    }
  }
}

/** Changes the agent as the operation for one agent does, or finds out what that would do now. */
async function changeItem(
  core: Core,
  caller: Caller,
  change: BulkChange,
  id: string,
  conditions: ChangeConditions,
): Promise<BulkItemResult> {
  const { isDryRun } = conditions
  const changed = isDryRun ? 'would_change' : 'changed'
  if (change.action === 'delete') {
    const revision = isDryRun
      ? await checkDeletion(core, caller, id, conditions)
      : await deleteAgent(core, caller, id, { ...conditions, erase: change.erase })
    return succeeded(id, changed, { revision, fields: [] })
  }
  const result =
    change.action === 'update'
      ? await updateAgent(core, caller, id, change.update, conditions)
      : await changeTrustStage(core, caller, id, change.lifecycle, conditions)
  return succeeded(id, result.fields.length > 0 ? changed : 'unchanged', result)
}

function succeeded(
  id: string,
  outcome: Exclude<BulkItemResult['outcome'], 'failed'>,
  { revision, fields }: { revision: number; fields: readonly string[] },
): BulkItemResult {
  return { id, outcome, revision, fields: [...fields], impact: null, error: null }
}

function failed(id: string, action: BulkAction, error: unknown): BulkItemResult {
  return {
    id,
    outcome: 'failed',
    revision: null,
    fields: [],
    impact: null,
    error: describe(action, error),
  }
}

const STALE = 'The agent has changed since this revision. Read the agent again, then repeat the change.'

function describe(action: BulkAction, error: unknown): NonNullable<BulkItemResult['error']> {
  if (error instanceof RequestValidationError) {
    // An operation for one agent has these fields at the top of its body.
    const errors = error.errors
      .slice(0, MAX_BULK_ERRORS)
      .map(({ loc: [part, ...path], ...rest }) => ({ loc: [part ?? 'body', action, ...path], ...rest }))
    return { code: 'validation_error', detail: 'The agent does not accept these values.', errors }
  }
  const problem = error instanceof Problem ? error : new Problem('internal')
  const code = problem.code as BulkErrorCode
  return { code, detail: code === 'revision_stale' ? STALE : problem.message, errors: [] }
}

function toResult(results: BulkItemResult[], isDryRun: boolean): AgentBulkResult {
  const counts = { changed: 0, unchanged: 0, would_change: 0, failed: 0 }
  for (const { outcome } of results) counts[outcome]++
  return { dry_run: isDryRun, counts, results }
}

/** What happens to each agent. */
type BulkChange =
  | { action: 'update'; update: AgentUpdate }
  | { action: 'lifecycle'; lifecycle: AgentLifecycle }
  | { action: 'delete'; erase: boolean }

interface FilterSelection {
  filters: AgentFiltersQuery
  expectedCount: number | undefined
}

interface BulkRequest {
  change: BulkChange
  /** The agents, or what they must match. */
  selection: { ids: string[]; revisions: ReadonlyMap<string, number> } | FilterSelection
  /** Where a value of the update looks like a credential. */
  credentialWarnings: readonly string[]
}

const ACTIONS = Object.keys(BULK_PERMISSIONS) as BulkAction[]

/** Throws for what no agent could accept, and if the caller lacks the permission for the action. */
function readBulkRequest(caller: Caller, body: AgentBulk, isDryRun: boolean): BulkRequest {
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
  return { change, selection, credentialWarnings: findings.warnings }
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
async function selectAgents(
  sql: Statements,
  teamId: string,
  { filters: query, expectedCount }: FilterSelection,
): Promise<Map<string, number>> {
  const filters = readFilters(query)
  const { agents, hasNext } = await findAgents(sql, teamId, filters, {
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
