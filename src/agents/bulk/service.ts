import type { Logger } from 'pino'
import type { Agent } from '../../contract/agent.ts'
import type { AgentBulk, AgentBulkItem, AgentBulkResult } from '../../contract/bulk.ts'
import { PermissionMissing, Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { Sql, Statements } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import type { Lanes } from '../../platform/lanes.ts'
import { refusalProblem } from '../../platform/place.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type IdempotencyKey, toIdempotencyKey } from '../configuration/idempotency.ts'
import { findImpact } from '../delegation/dependents-store.ts'
import type { RequireFilterTable } from '../list/readiness.ts'
import { type ChangeDeps, runChange } from './change.ts'
import { failed, isTemporary, succeeded, toResult } from './outcome.ts'
import { type BulkRequest, readBulkRequest } from './request.ts'
import { selectAgents } from './select.ts'
import { findBulk, findBulkChanges, insertBulk, type StoredBulk, storeResults } from './store.ts'
import { createTurns, type Turns } from './turns.ts'

export interface BulkDeps extends ChangeDeps {
  sql: Sql
  searches: Statements
  lanes: Lanes
  requireFilterTable: RequireFilterTable
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
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
  const { sql, searches, secrets, requireFilterTable, now, newId } = deps
  const running = new Set<string>()

  const select = async (turns: Turns, teamId: string, { selection }: BulkRequest): Promise<string[]> => {
    if ('ids' in selection) return selection.ids
    const { filters, expectedCount } = selection
    return turns.take('searches', () =>
      selectAgents(searches, requireFilterTable, teamId, filters, expectedCount),
    )
  }

  /** The first request with the key, or this one if it is the first. The agents of the first request are those of all. */
  const claim = async (
    turns: Turns,
    caller: Caller,
    request: BulkRequest,
    key: IdempotencyKey,
  ): Promise<StoredBulk> => {
    const { teamId } = caller
    const at = Math.floor(now() / 1_000)
    const find = async () => {
      const found = await findBulk(sql, caller, key, { now: at, eventId: newId() })
      if (found?.is_same === false) throw new Problem('idempotency_conflict')
      return found
    }
    const first = await turns.take('writes', find)
    if (first) return first
    const bulk = { id: newId(), agent_ids: await select(turns, teamId, request), results: null }
    return turns.take('writes', async () => {
      if (await insertBulk(sql, teamId, key, bulk, at)) return bulk
      const other = await find()
      if (!other) throw new Error('The idempotency key conflicts with a row that cannot be found')
      return other
    })
  }

  const readDone = async (turns: Turns, teamId: string, bulkId: string) => {
    const rows = await turns.take('writes', () => findBulkChanges(sql, teamId, bulkId))
    return new Map(rows.map((row) => [row.agent_id, succeeded(row.agent_id, 'changed', row)]))
  }

  /** Returns the result of one agent. Throws only if the request has to end without a response. */
  const changeOne = async (
    turns: Turns,
    caller: Caller,
    { change, selection, isDryRun }: BulkRequest,
    id: string,
    { refuseIfDependents, log }: BulkContext,
    bulkId: string | undefined,
  ): Promise<AgentBulkItem> => {
    const revision = 'ids' in selection ? selection.revisions.get(id) : undefined
    const conditions = {
      expectedRevisions: revision === undefined ? null : [revision],
      ...(refuseIfDependents && { refuseIfDependents }),
      ...{ bulkId, isDryRun },
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
      // A repetition that runs at the same time may have changed the agent.
      const [done] =
        bulkId === undefined
          ? []
          : await turns.take('writes', () => findBulkChanges(sql, caller.teamId, bulkId, id)).catch(() => [])
      if (done) return succeeded(id, 'changed', done)
      if (error instanceof PermissionMissing) await deps.recordRefusal(caller, error.permission, id)
      const isExpected = error instanceof Problem || error instanceof RequestValidationError
      if (!isExpected) log.error({ err: error, agent_id: id }, 'an agent of a bulk request failed')
      return failed(id, change.action, error)
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
    const bulk = key && (await claim(turns, caller, request, key))
    if (bulk?.results) return bulk.results
    const ids = bulk ? bulk.agent_ids : await select(turns, teamId, request)
    const done = bulk ? await readDone(turns, teamId, bulk.id) : undefined
    const items = await inOrder(
      ids,
      async (id) => done?.get(id) ?? changeOne(turns, caller, request, id, context, bulk?.id),
    )
    if (request.isDryRun) await addImpacts(turns, teamId, items)
    if (key && !items.some(isTemporary)) {
      // The changes are stored: without the results, a repetition works them out again.
      await turns
        .take('writes', () => storeResults(sql, teamId, key, items))
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

/** Runs the work of a few ids at the same time. Returns its results in the order of the ids. */
async function inOrder<Result>(
  ids: readonly string[],
  work: (id: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = ids.entries()
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [index, id] of entries) results[index] = await work(id)
  })
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason as Error
  return results
}
