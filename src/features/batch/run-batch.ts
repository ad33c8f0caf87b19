import type { Logger } from 'pino'
import type { IdempotencyKey } from '../../agent/create-once.ts'
import type { Caller } from '../../api/caller.ts'
import { PermissionMissing, Problem, RequestValidationError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { TEMPORARY_CODES } from './bulk-schema.ts'
import {
  beginRepeatable,
  type DoneChange,
  findDoneChanges,
  type Repeatable,
  storeResults,
} from './repetition.ts'

/** How the route calls a bulk change or an import. */
export interface BatchOptions {
  isDryRun: boolean
  idempotencyKey: string | undefined
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  log: Pick<Logger, 'error' | 'warn'>
  /** Records that the caller lacks a permission that the change of one agent needs. */
  recordRefusal: (caller: Caller, permission: string, agentId: string) => Promise<void>
}

export interface BatchContext extends Pick<BatchOptions, 'signal' | 'log' | 'recordRefusal'> {
  core: Core
  caller: Caller
  /** Undefined for a request that is not repeated, such as a dry run. */
  key: IdempotencyKey | undefined
}

/** What a request does with many agents, each by itself: in its own transaction, with its own revision and event. An
 * item is an agent of a bulk change, or a row of an import. */
export interface Batch<Item, Result extends ItemResult> {
  /** The agents that the idempotency key keeps for repetitions. Absent if the items name them. */
  selectAgents?: () => Promise<string[]>
  readItems: (agentIds: readonly string[]) => Promise<readonly Item[]>
  /** Undefined: there is no agent yet. */
  agentOf: (item: Item) => string | undefined
  /** Changes the agent of the item, or finds out what that would do. `bulkId` marks the change of a request with
   * an idempotency key. */
  apply: (item: Item, bulkId: string | undefined) => Promise<Result>
  /** Reads again what the item is compared with, after another writer has changed it. Absent: such an item fails. */
  readAgain?: (item: Item) => Promise<void>
  /** The result of a change that the request has made before. */
  done: (item: Item, change: DoneChange) => Result
  failed: (item: Item, error: unknown) => Result
  /** Adds to the results what is found out for many at once. */
  finish?: (results: readonly Result[]) => Promise<void>
}

interface ItemResult {
  error: { code: string } | null
}

/** Items of a request that are applied at the same time. */
const AT_ONCE = 2

/** How often an item is tried while others change its agent. */
const MAX_ATTEMPTS = 3

/** Less than the time after which common clients and load balancers give up. */
const MAX_REQUEST_MS = 25_000

/** Returns a result for each item, in order. An item that fails does not stop the others. Throws only if the
 * request has to end without a response. */
export async function runBatch<Item, Result extends ItemResult>(
  context: BatchContext,
  batch: Batch<Item, Result>,
  maxMs = MAX_REQUEST_MS,
): Promise<Result[]> {
  const { core, caller, key, signal, log } = context
  const endsAt = performance.now() + maxMs
  const requireTime = () => {
    signal.throwIfAborted()
    if (core.shutdown.hasBegun || performance.now() > endsAt) throw notReached()
  }
  const selectAgents = async () => (await batch.selectAgents?.()) ?? []
  const repeatable = key && (await beginRepeatable<Result>(core, caller, key, selectAgents))
  if (repeatable?.results) return repeatable.results
  const items = await batch.readItems(repeatable ? repeatable.agentIds : await selectAgents())
  const results = await inOrder(items, (item) => applyItem(context, batch, repeatable, item, requireTime))
  await batch.finish?.(results)
  if (key && !results.some(isTemporary)) {
    // The changes are stored: without the results, a repetition works them out again.
    await storeResults(core.database.of(caller.teamId), caller.teamId, key, results).catch((error: unknown) =>
      log.warn({ err: error }, 'the results were not stored'),
    )
  }
  return results
}

function notReached(): Problem {
  return new Problem('overloaded', {
    detail:
      'The console had no time left for this part of the request. Nothing of it was changed. Repeat the request ' +
      'with the same Idempotency-Key, or with fewer agents.',
    headers: { 'retry-after': '1' },
  })
}

async function applyItem<Item, Result extends ItemResult>(
  context: BatchContext,
  batch: Batch<Item, Result>,
  repeatable: Repeatable<Result> | undefined,
  item: Item,
  requireTime: () => void,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const agentId = batch.agentOf(item)
    const before = agentId === undefined ? undefined : repeatable?.done.get(agentId)
    if (before) return batch.done(item, before)
    let reason: unknown
    try {
      requireTime()
      return await batch.apply(item, repeatable?.id)
    } catch (error) {
      reason = error
    }
    try {
      // A repetition that runs at the same time may have changed the agent.
      const done = agentId === undefined ? undefined : await findDone(context, repeatable, agentId)
      if (done) return batch.done(item, done)
      if (batch.readAgain && attempt < MAX_ATTEMPTS && isStale(reason)) {
        await batch.readAgain(item)
        continue
      }
    } catch (error) {
      // Temporary, so that the result is not stored as the final one.
      reason = error
    }
    await reportFailure(context, agentId, reason)
    return batch.failed(item, reason)
  }
}

async function findDone(
  { core, caller: { teamId } }: BatchContext,
  repeatable: Repeatable<unknown> | undefined,
  agentId: string,
): Promise<DoneChange | undefined> {
  if (!repeatable) return undefined
  const [done] = await findDoneChanges(core.database.of(teamId), teamId, repeatable.id, agentId)
  return done
}

async function reportFailure(
  { caller, log, recordRefusal }: BatchContext,
  agentId: string | undefined,
  reason: unknown,
): Promise<void> {
  if (reason instanceof Problem && reason.code === 'client_disconnected') throw reason
  if (reason instanceof PermissionMissing && agentId !== undefined) {
    // A row of a third party is refused for a permission that the caller has.
    const isMissing = !caller.permissions.has(reason.permission)
    if (isMissing) await recordRefusal(caller, reason.permission, agentId)
  }
  const isExpected = reason instanceof Problem || reason instanceof RequestValidationError
  if (!isExpected) log.error({ err: reason, agent_id: agentId }, 'an agent of a batch failed')
}

/** Another writer has changed or deleted the agent since it was read. */
export function isStale(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'revision_stale' || error.code === 'agent_not_found')
}

/** Whether a repetition may have another result. */
const isTemporary = ({ error }: ItemResult) =>
  error !== null && (TEMPORARY_CODES as readonly string[]).includes(error.code)

/** Runs the work of a few items at the same time. Returns its results in the order of the items. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const remaining = items.entries()
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [index, item] of remaining) results[index] = await work(item)
  })
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason as Error
  return results
}
