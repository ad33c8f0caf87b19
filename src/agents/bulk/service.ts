import type { Logger } from 'pino'
import type { Agent } from '../../contract/agent.ts'
import {
  type AgentBulk,
  type AgentBulkItem,
  type AgentBulkResult,
  type BulkAction,
  type BulkErrorCode,
  MAX_BULK_ERRORS,
} from '../../contract/bulk.ts'
import { Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { Sessions } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { DoneChange } from '../batch/repetition.ts'
import { type Batch, type BatchDeps, runBatch } from '../batch/run-batch.ts'
import type { ChangeConditions } from '../change-agent.ts'
import { toIdempotencyKey } from '../configuration/idempotency.ts'
import type { Agents } from '../configuration/service.ts'
import { findImpact } from '../delegation/dependents-store.ts'
import type { Lifecycle } from '../lifecycle/service.ts'
import { type BulkChange, type BulkRequest, readBulkRequest, selectAgents } from './request.ts'

export interface BulkDeps extends BatchDeps {
  agents: Pick<Agents, 'update' | 'planUpdate'>
  lifecycle: Pick<Lifecycle, 'changeTrustStage' | 'planTrustStage' | 'delete' | 'checkDeletion'>
  searches: Sessions
  secrets: Secrets
}

export interface BulkContext {
  isDryRun: boolean
  idempotencyKey: string | undefined
  refuseIfDependents: Agent['trust_stage']
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  log: Pick<Logger, 'error' | 'warn'>
}

export type Bulk = ReturnType<typeof createBulk>

/** Changes many agents. */
export function createBulk(deps: BulkDeps) {
  return async (
    caller: Caller,
    body: AgentBulk,
    { isDryRun, idempotencyKey, refuseIfDependents, signal, log }: BulkContext,
  ): Promise<{ result: AgentBulkResult; credentialWarnings: readonly string[] }> => {
    const request = readBulkRequest(caller, body, isDryRun)
    const key = isDryRun ? undefined : toIdempotencyKey(deps.secrets, caller, idempotencyKey, ['bulk', body])
    const batch = new BulkBatch(deps, caller, request, refuseIfDependents)
    const results = await runBatch(deps, { caller, key, signal, log }, batch)
    return { result: toResult(results, isDryRun), credentialWarnings: request.credentialWarnings }
  }
}

/** So few that a search of another team does not wait for long. */
const IMPACTS_AT_A_TIME = 50

class BulkBatch implements Batch<string, AgentBulkItem> {
  readonly #deps: BulkDeps
  readonly #caller: Caller
  readonly #request: BulkRequest
  readonly #refuseIfDependents: BulkContext['refuseIfDependents']
  /** Those of the request, or those at which the filters matched: an agent that has changed since may match no
   * longer. */
  #revisions: ReadonlyMap<string, number>

  constructor(
    deps: BulkDeps,
    caller: Caller,
    request: BulkRequest,
    refuseIfDependents: BulkContext['refuseIfDependents'],
  ) {
    this.#deps = deps
    this.#caller = caller
    this.#request = request
    this.#refuseIfDependents = refuseIfDependents
    this.#revisions = 'ids' in request.selection ? request.selection.revisions : new Map()
  }

  async selectAgents(): Promise<string[]> {
    const { selection } = this.#request
    if ('ids' in selection) return selection.ids
    const { teamId } = this.#caller
    this.#revisions = await selectAgents(this.#deps.searches.of(teamId), teamId, selection)
    return [...this.#revisions.keys()]
  }

  readItems = async (agentIds: readonly string[]) => agentIds

  agentOf = (id: string) => id

  apply(id: string, bulkId: string | undefined): Promise<AgentBulkItem> {
    const revision = this.#revisions.get(id)
    const conditions = {
      expectedRevisions: revision === undefined ? null : [revision],
      refuseIfDependents: this.#refuseIfDependents,
      bulkId,
    }
    return this.#change(this.#request.change, id, conditions)
  }

  done = (id: string, change: DoneChange) => succeeded(id, 'changed', change)

  failed = (id: string, error: unknown) => failed(id, this.#request.change.action, error)

  /** Adds to what would change the agents that delegate to it. */
  async finish(results: readonly AgentBulkItem[]): Promise<void> {
    const { teamId } = this.#caller
    const searches = this.#deps.searches.of(teamId)
    const affected = results.filter(({ outcome }) => outcome === 'would_change')
    for (let start = 0; start < affected.length; start += IMPACTS_AT_A_TIME) {
      const some = affected.slice(start, start + IMPACTS_AT_A_TIME)
      const ids = some.map(({ id }) => id)
      const impacts = await findImpact(searches, teamId, ids)
      for (const [index, result] of some.entries()) result.impact = impacts[index] ?? null
    }
  }

  /** Changes the agent as the operation for one agent does, or finds out what that would do now. */
  async #change(change: BulkChange, id: string, conditions: ChangeConditions): Promise<AgentBulkItem> {
    const { agents, lifecycle } = this.#deps
    const { isDryRun } = this.#request
    const caller = this.#caller
    const changed = isDryRun ? 'would_change' : 'changed'
    if (change.action === 'delete') {
      const revision = isDryRun
        ? await lifecycle.checkDeletion(caller, id, conditions)
        : await lifecycle.delete(caller, id, { ...conditions, erase: change.erase })
      return succeeded(id, changed, { revision, fields: [] })
    }
    const update = isDryRun ? agents.planUpdate : agents.update
    const changeTrustStage = isDryRun ? lifecycle.planTrustStage : lifecycle.changeTrustStage
    const result =
      change.action === 'update'
        ? await update(caller, id, change.update, conditions)
        : await changeTrustStage(caller, id, change.lifecycle, conditions)
    return succeeded(id, result.fields.length > 0 ? changed : 'unchanged', result)
  }
}

function succeeded(
  id: string,
  outcome: Exclude<AgentBulkItem['outcome'], 'failed'>,
  { revision, fields }: { revision: number; fields: readonly string[] },
): AgentBulkItem {
  return { id, outcome, revision, fields: [...fields], impact: null, error: null }
}

function failed(id: string, action: BulkAction, error: unknown): AgentBulkItem {
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

function describe(action: BulkAction, error: unknown): NonNullable<AgentBulkItem['error']> {
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

function toResult(results: AgentBulkItem[], isDryRun: boolean): AgentBulkResult {
  const counts = { changed: 0, unchanged: 0, would_change: 0, failed: 0 }
  for (const { outcome } of results) counts[outcome]++
  return { dry_run: isDryRun, counts, results }
}
