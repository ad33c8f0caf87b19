import { Stale } from '../errors.ts'
import type { CallOptions, ConditionalOptions } from '../options.ts'
import { pages } from '../pages.ts'
import type { AgentResult, AgentRevision, Me } from '../types.ts'
import type { AgentReads } from './reads.ts'

/** A change that can be sent with `ifRevision`. */
export interface Change<T> {
  id: string
  call: ConditionalOptions
  send: () => Promise<T>
  /** Whether the revision and the agent after it are what the change makes. */
  isResult: (revision: AgentRevision, agent: AgentResult) => boolean | Promise<boolean>
}

/**
 * Sends a change. If its response was lost and its repetition finds another revision, the first try may have made that
 * revision: then it is the result. Otherwise a caller that repeats the change would make it twice.
 */
export async function sendOnce<T>(
  reads: AgentReads,
  me: (options: CallOptions) => Promise<Me>,
  { id, call, send, isResult }: Change<T>,
): Promise<T | AgentResult> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof Stale && error.afterLostResponse) || call.ifRevision === undefined) throw error
    const number = call.ifRevision + 1
    const revision = await findRevision(reads, id, number, call)
    const isOurs =
      revision &&
      (revision.reason === (call.reason?.trim() || null) || revision.redacted.includes('reason')) &&
      revision.changed_by === (await me(call)).user_id
    const result = isOurs && (await reads.revision(id, number, call))
    if (!result || !(await isResult(revision, result))) throw error
    return result
  }
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
