import type { Logger } from 'pino'
import type { Agent } from '../../contract/agent.ts'
import type { AgentBulk, AgentBulkItem, AgentBulkResult } from '../../contract/bulk.ts'
import { PermissionMissing, Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Lanes } from '../../platform/fairness/lanes.ts'
import { refusalProblem } from '../../platform/fairness/place.ts'
import { createTurns, type Turns } from '../../platform/fairness/turns.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { inOrder } from '../../platform/in-order.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { type IdempotencyKey, toIdempotencyKey } from '../configuration/idempotency.ts'
import { findImpact } from '../delegation/dependents-store.ts'
import type { RequireFilterTable } from '../list/readiness.ts'
import { type ChangeDeps, runChange } from './change.ts'
import { failed, isTemporary, succeeded, toResult } from './outcome.ts'
import type { RepeatableRequest, Repetition } from './repetition.ts'
import { type BulkRequest, type FilterSelection, readBulkRequest } from './request.ts'
import { selectAgents } from './select.ts'

export interface BulkDeps extends ChangeDeps {
  searches: Statements
  repetition: Repetition
  lanes: Lanes
  requireFilterTable: RequireFilterTable
  secrets: Secrets
  shutdown: { hasBegun: boolean }
  /** A permission that the change of one agent needs, and that the caller does not have. */
  recordRefusal: (caller: Caller, permission: string, agentId: string) => Promise<void>
}

export interface BulkContext {
  idempotencyKey: string | undefined
  refuseIfDependents: Agent['trust_stage']
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  log: Pick<Logger, 'error' | 'warn'>
}

export type Bulk = ReturnType<typeof createBulk>

/** Agents of a request that are changed at the same time. */
const AT_ONCE = 2

/** Requests of all teams together, one of each. */
const MAX_RUNNING = 32

/** So few that a search of another team does not wait for long. */
const IMPACTS_AT_A_TIME = 50

/** Changes many agents, each by itself: in its own statement, with its own revision and event. */
export function createBulk(deps: BulkDeps) {
  const { searches, secrets, requireFilterTable, repetition } = deps
  const running = new Set<string>()

  /** The revisions of the agents that match: one that has changed since may match no longer. */
  const select = (
    turns: Turns,
    teamId: string,
    { filters, expectedCount }: FilterSelection,
  ): Promise<ReadonlyMap<string, number>> =>
    turns.take('searches', () => selectAgents(searches, requireFilterTable, teamId, filters, expectedCount))

  /** Returns the result of one agent. Throws only if the request has to end without a response. */
  const changeOne = async (
    turns: Turns,
    caller: Caller,
    { change, isDryRun }: BulkRequest,
    { id, revision }: { id: string; revision: number | undefined },
    { refuseIfDependents, log }: BulkContext,
    repeatable: RepeatableRequest<AgentBulkItem> | undefined,
  ): Promise<AgentBulkItem> => {
    const conditions = {
      expectedRevisions: revision === undefined ? null : [revision],
      ...(refuseIfDependents && { refuseIfDependents }),
      ...{ bulkId: repeatable?.id, isDryRun },
    }
    try {
      return await turns.take(
        isDryRun ? 'reads' : 'writes',
        async () => {
          const changed = await runChange(deps, change, caller, id, conditions)
          const outcome = changed.isChanged ? (isDryRun ? 'would_change' : 'changed') : 'unchanged'
          return succeeded(id, outcome, changed)
        },
        id,
      )
    } catch (error) {
      if (error instanceof Problem && error.code === 'client_disconnected') throw error
      let reason = error
      // A repetition that runs at the same time may have changed the agent. If the database does not say, that is the reason:
      // it is temporary, so the result is not stored as the final one.
      const done = await repeatable?.findDone(id).catch((lookupError: unknown) => {
        reason = lookupError
        return undefined
      })
      if (done) return succeeded(id, 'changed', done)
      if (reason instanceof PermissionMissing) await deps.recordRefusal(caller, reason.permission, id)
      const isExpected = reason instanceof Problem || reason instanceof RequestValidationError
      if (!isExpected) log.error({ err: reason, agent_id: id }, 'an agent of a bulk request failed')
      return failed(id, change.action, reason)
    }
  }

  const addImpacts = async (turns: Turns, teamId: string, items: AgentBulkItem[]): Promise<void> => {
    const affected = items.filter(({ outcome }) => outcome === 'would_change')
    for (let start = 0; start < affected.length; start += IMPACTS_AT_A_TIME) {
      const some = affected.slice(start, start + IMPACTS_AT_A_TIME)
      const ids = some.map(({ id }) => id)
      const impacts = await turns.take('searches', () => findImpact(searches, teamId, ids))
      for (const [index, item] of some.entries()) item.impact = impacts[index] ?? null
    }
  }

  const run = async (
    caller: Caller,
    request: BulkRequest,
    key: IdempotencyKey | undefined,
    context: BulkContext,
  ): Promise<AgentBulkItem[]> => {
    const { teamId } = caller
    const turns = createTurns({
      ...{ lanes: deps.lanes, team: teamId, signal: context.signal },
      isClosing: () => deps.shutdown.hasBegun,
    })
    const { selection } = request
    let revisions = 'ids' in selection ? selection.revisions : new Map<string, number>()
    const selectIds = async () => {
      if ('ids' in selection) return selection.ids
      revisions = await select(turns, teamId, selection)
      return [...revisions.keys()]
    }
    const repeatable = key && (await repetition.begin<AgentBulkItem>(turns, caller, key, selectIds))
    if (repeatable?.results) return repeatable.results
    const ids = repeatable ? repeatable.agentIds : await selectIds()
    const items = await inOrder(ids, AT_ONCE, async (id) => {
      const done = repeatable?.done.get(id)
      if (done) return succeeded(id, 'changed', done)
      return changeOne(turns, caller, request, { id, revision: revisions.get(id) }, context, repeatable)
    })
    if (request.isDryRun) await addImpacts(turns, teamId, items)
    if (repeatable && !items.some(isTemporary)) {
      // The changes are stored: without the results, a repetition works them out again.
      await repeatable
        .storeResults(items)
        .catch((error: unknown) => context.log.warn({ err: error }, 'the results were not stored'))
    }
    return items
  }

  return async (
    caller: Caller,
    body: AgentBulk,
    context: BulkContext,
  ): Promise<{ result: AgentBulkResult; credentialWarnings: readonly string[] }> => {
    const request = readBulkRequest(caller, body)
    const { isDryRun, credentialWarnings } = request
    const key = isDryRun
      ? undefined
      : toIdempotencyKey(secrets, caller, context.idempotencyKey, ['bulk', body])
    if (running.has(caller.teamId)) throw refusalProblem('own_share')
    if (running.size >= MAX_RUNNING) throw refusalProblem('overloaded')
    running.add(caller.teamId)
    try {
      const items = await run(caller, request, key, context)
      return { result: toResult(items, isDryRun), credentialWarnings }
    } finally {
      running.delete(caller.teamId)
    }
  }
}
