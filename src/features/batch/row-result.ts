import type { ImportedAgent, ImportedCreation } from '../../agent/imported.ts'
import {
  PermissionMissing,
  Problem,
  RequestValidationError,
  type ValidationError,
} from '../../api/problem.ts'
import type { ImportRow } from './import-rows.ts'
import {
  type AgentImportResult,
  type AgentImportRowResult,
  type ImportAction,
  type ImportErrorCode,
  MAX_ROW_FAULTS,
} from './import-schema.ts'

type Outcome = Pick<AgentImportRowResult, 'agent_id' | 'revision'> & {
  fields: readonly string[]
  /** Besides those of the row. */
  warnings?: readonly string[]
}

export function succeededRow(
  row: ImportRow,
  action: Exclude<ImportAction, 'conflict' | 'failed'>,
  { fields, warnings = [], ...outcome }: Outcome,
): AgentImportRowResult {
  return {
    ...resultOf(row, action),
    ...outcome,
    fields: [...fields],
    warnings: [...row.warnings, ...warnings],
  }
}

const CONFLICTS = {
  revision_stale:
    'The agent has changed since the dry run, or while the import ran. It was not changed. Repeat the dry run to ' +
    'see what the row would do now.',
  agent_deleted:
    'The agent of this external key was deleted, and an import does not create it again. Recover it, or leave ' +
    'out the row. To import a new one, recover it and delete it with erase=true first.',
}

export function conflictRow(
  row: ImportRow,
  code: keyof typeof CONFLICTS,
  agent?: Pick<ImportedAgent, 'id' | 'revision'>,
): AgentImportRowResult {
  return {
    ...resultOf(row, 'conflict'),
    ...(agent && { agent_id: agent.id, revision: agent.revision }),
    error: { code, detail: CONFLICTS[code] },
  }
}

export function invalidRow(row: ImportRow, faults: readonly ValidationError[]): AgentImportRowResult {
  return {
    ...resultOf(row, 'failed'),
    faults: faults
      .slice(0, MAX_ROW_FAULTS)
      .map(({ loc, ...rest }) => ({ loc: ['body', row.index, ...loc], ...rest })),
    error: { code: 'validation_error', detail: 'The row is not valid: see its faults.' },
  }
}

export function failedRow(row: ImportRow, error: unknown): AgentImportRowResult {
  if (error instanceof RequestValidationError) {
    // The operation for one agent has these fields at the top of its body.
    return invalidRow(
      row,
      error.errors.map(({ loc: [, ...path], ...rest }) => ({ loc: path, ...rest })),
    )
  }
  const { code, message } = error instanceof Problem ? error : new Problem('internal')
  // The usual advice is to use a token with the permission, which does not help here.
  const detail = error instanceof PermissionMissing && row.isForeign ? MOVES_SECRET : message
  return { ...resultOf(row, 'failed'), error: { code: code as ImportErrorCode, detail } }
}

const MOVES_SECRET =
  'The card moves agent_url to another origin while an api_key is stored. An import does not do this: use the ' +
  'operation refresh-card of the agent with move_interface=true.'

function resultOf(
  { index, line, externalKey, warnings }: ImportRow,
  action: ImportAction,
): AgentImportRowResult {
  return {
    row: index,
    line,
    external_key: externalKey,
    action,
    agent_id: null,
    revision: null,
    fields: [],
    warnings: [...warnings],
    faults: [],
    error: null,
  }
}

export function toImportResult(results: AgentImportRowResult[], isDryRun: boolean): AgentImportResult {
  const counts = { create: 0, update: 0, unchanged: 0, conflict: 0, failed: 0 }
  for (const { action } of results) counts[action]++
  return { dry_run: isDryRun, counts, results }
}

export function credentialWarnings(pointers: readonly string[] = []): string[] {
  return pointers.map(
    (pointer) =>
      `The value at ${pointer} looks like a credential. The console stores it in clear text: use a named secret ` +
      'instead.',
  )
}

export function creationWarnings({
  credentialWarnings: pointers,
  missingSecrets,
}: ImportedCreation): string[] {
  const warnings = credentialWarnings(pointers)
  if (missingSecrets.length === 0) return warnings
  const names = missingSecrets.join(', ')
  return [
    ...warnings,
    `The agent refers to named secrets that it does not have yet: ${names}. Store them for the new agent.`,
  ]
}
