import { Stale } from '../errors.ts'
import type { CallOptions, ChangeOptions } from '../options.ts'
import { pages } from '../pages.ts'
import type { AgentResult, AgentRevision, Me } from '../types.ts'
import type { AgentReads } from './reads.ts'

/** A change that was sent with `ifRevision`. */
export interface SentChange {
  id: string
  ifRevision: number | undefined
  call: ChangeOptions
  /** Whether the revision and the agent after it are what the change makes. */
  isResult: (revision: AgentRevision, agent: AgentResult) => boolean
}

/**
 * Sends a change. If its response was lost and its repetition finds another revision, the first try may have made that
 * revision: then it is the result. Otherwise a caller that repeats the change would make it twice.
 */
export async function sendOnce<T>(
  reads: AgentReads,
  me: (options: CallOptions) => Promise<Me>,
  change: SentChange,
  { send, found }: { send: () => Promise<T>; found: (result: AgentResult) => T },
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof Stale) || !error.afterLostResponse || change.ifRevision === undefined) throw error
    const result = await findResult(reads, me, change, change.ifRevision + 1)
    if (!result) throw error
    return found(result)
  }
}

/** The agent at the revision that the change makes, if this user made it with these values. */
async function findResult(
  reads: AgentReads,
  me: (options: CallOptions) => Promise<Me>,
  { id, call, isResult }: SentChange,
  number: number,
): Promise<AgentResult | undefined> {
  const revision = await findRevision(reads, id, number, call)
  const isOurs =
    revision &&
    (revision.reason === (call.reason?.trim() || null) || revision.redacted.includes('reason')) &&
    revision.changed_by === (await me(call)).user_id
  if (!isOurs) return undefined
  const result = await reads.revision(id, number, call)
  return isResult(revision, result) ? result : undefined
}

async function findRevision(
  reads: AgentReads,
  id: string,
  number: number,
  call: CallOptions,
): Promise<AgentRevision | undefined> {
  const load = (cursor: string | undefined) =>
    reads.revisions(id, cursor === undefined ? {} : { cursor }, call)
  for await (const { results } of pages(undefined, load)) {
    const found = results.find(({ revision }) => revision === number)
    if (found || results.some(({ revision }) => revision < number)) return found
  }
  return undefined
}
