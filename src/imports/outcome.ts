import {
  type AgentImportItem,
  type AgentImportResult,
  type ImportAction,
  type ImportErrorCode,
  MAX_ROW_FAULTS,
} from '../contract/imports.ts'
import { Problem } from '../contract/problem.ts'
import { RequestValidationError, type ValidationError } from '../contract/validation-error.ts'
import type { Seen } from './plan.ts'
import type { CheckedRow } from './valid-rows.ts'

/** What became of a row: its agent, the fields that changed, and warnings besides those of the row. */
export interface Applied {
  agent?: Seen
  /** Absent for a row that a dry run would create. */
  revision?: number
  fields?: readonly string[]
  warnings?: readonly string[]
}

export function succeeded(
  row: CheckedRow,
  action: Exclude<ImportAction, 'conflict' | 'failed'>,
  { agent, revision, fields = [], warnings = [] }: Applied,
): AgentImportItem {
  return {
    ...toItem(row, action),
    agent_id: agent?.id ?? null,
    revision: revision ?? agent?.revision ?? null,
    fields: [...fields],
    warnings: [...row.warnings, ...warnings],
  }
}

const CONFLICTS = {
  revision_stale:
    'The agent has changed since the dry run, or while the import ran. It was not changed. Repeat the dry run to see what the row would do now.',
  agent_deleted:
    'The agent of this external key was deleted, and an import does not create it again. Recover it, or leave out the row. To import a new ' +
    'one, recover it and delete it with erase=true first.',
}

export function conflict(
  row: CheckedRow,
  code: keyof typeof CONFLICTS,
  agent: Seen | undefined,
): AgentImportItem {
  return {
    ...toItem(row, 'conflict'),
    ...(agent && { agent_id: agent.id, revision: agent.revision }),
    error: { code, detail: CONFLICTS[code] },
  }
}

export function invalid(row: CheckedRow, faults: readonly ValidationError[]): AgentImportItem {
  return {
    ...toItem(row, 'failed'),
    faults: faults
      .slice(0, MAX_ROW_FAULTS)
      .map(({ loc, ...rest }) => ({ loc: ['body', row.index, ...loc], ...rest })),
    error: { code: 'validation_error', detail: 'The row is not valid: see its faults.' },
  }
}

export function failed(row: CheckedRow, error: unknown): AgentImportItem {
  if (error instanceof RequestValidationError) {
    // The operation for one agent has these fields at the top of its body.
    return invalid(
      row,
      error.errors.map(({ loc: [, ...path], ...rest }) => ({ loc: path, ...rest })),
    )
  }
  const { code, message } = error instanceof Problem ? error : new Problem('internal')
  return { ...toItem(row, 'failed'), error: { code: code as ImportErrorCode, detail: message } }
}

function toItem(
  { index, line, externalKey, warnings, signature }: CheckedRow,
  action: ImportAction,
): AgentImportItem {
  return {
    ...{ row: index, line, external_key: externalKey, action, agent_id: null, revision: null },
    ...{ fields: [], warnings: [...warnings], faults: [], error: null },
    signature: signature ?? null,
  }
}

const TEMPORARY: readonly ImportErrorCode[] = [
  ...(['too_many_requests', 'overloaded', 'database_unavailable'] as const),
  ...(['agent_busy', 'outcome_unknown', 'internal'] as const),
]

/** Whether a repetition may have another result. */
export function isTemporary({ error }: AgentImportItem): boolean {
  return error !== null && TEMPORARY.includes(error.code)
}

export function toResult(
  results: AgentImportItem[],
  isDryRun: boolean,
  made: { plan: string; expiresAt: number } | undefined,
): AgentImportResult {
  const counts = { create: 0, update: 0, unchanged: 0, conflict: 0, failed: 0 }
  for (const { action } of results) counts[action]++
  const { plan = null, expiresAt = null } = made ?? {}
  return { dry_run: isDryRun, counts, plan, plan_expires_at: expiresAt, results }
}
