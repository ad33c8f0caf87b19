import type { BulkAction } from '../../contract/bulk.ts'
import {
  type AgentBulkItem,
  type AgentBulkResult,
  type BulkErrorCode,
  type BulkOutcome,
  MAX_BULK_ERRORS,
} from '../../contract/bulk.ts'
import { Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'

export function succeeded(
  id: string,
  outcome: Exclude<BulkOutcome, 'failed'>,
  { revision, fields }: { revision: number; fields: readonly string[] },
): AgentBulkItem {
  return { id, outcome, revision, fields: [...fields], impact: null, error: null }
}

export function failed(id: string, action: BulkAction, error: unknown): AgentBulkItem {
  return {
    ...{ id, outcome: 'failed', revision: null, fields: [], impact: null },
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

const TEMPORARY: readonly BulkErrorCode[] = [
  ...(['too_many_requests', 'overloaded', 'database_unavailable'] as const),
  ...(['agent_busy', 'outcome_unknown', 'internal'] as const),
]

/** Whether a repetition may have another result. */
export function isTemporary({ error }: AgentBulkItem): boolean {
  return error !== null && TEMPORARY.includes(error.code)
}

export function toResult(results: AgentBulkItem[], isDryRun: boolean): AgentBulkResult {
  const counts = { changed: 0, unchanged: 0, would_change: 0, failed: 0 }
  for (const { outcome } of results) counts[outcome]++
  return { dry_run: isDryRun, counts, results }
}
