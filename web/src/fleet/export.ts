import type { AgentFilters } from '@agent-console/sdk'
import { api } from '../api/client.ts'
import { toastFailure } from '../api/problem.ts'
import { plural } from '../shared/format.ts'
import { toast } from '../shared/ui/toast.tsx'
import { fileName, saveFile, toCsv } from './csv.ts'
import type { FleetRow } from './list.ts'

const MAX_MS = 10 * 60_000
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** All agents that match, as the server exports them: every field but the secrets. The audit log records it. */
export async function exportFleet(filters: AgentFilters, format: 'csv' | 'ndjson'): Promise<void> {
  toast({ text: 'The export is running' })
  try {
    const text = await api().agents.exportText({ ...filters, format }, { timeoutMs: MAX_MS })
    saveFile(fileName('agents', format), TYPES[format], [text])
    toast({ text: 'The export is saved' })
  } catch (error) {
    toastFailure('The export did not finish', error)
  }
}

const HEAD = [
  'id',
  'agent_name',
  'model_name',
  'status',
  'trust_stage',
  'protection_status',
  'overall_score',
  'evaluation_outdated',
  'revision',
  'created_at',
  'updated_at',
  'purpose',
]

/** The selected agents with the fields of the list: the server exports by filter, not by id. */
export function exportRows(rows: readonly FleetRow[]): void {
  const lines = rows.map((row) => [
    row.id,
    row.name,
    row.model,
    row.status,
    row.stage,
    row.protection,
    row.score,
    row.score === null ? null : String(row.outdated),
    row.revision,
    new Date(row.createdAt * 1000).toISOString(),
    new Date(row.updatedAt * 1000).toISOString(),
    row.purpose,
  ])
  saveFile(fileName('agents-selected', 'csv'), TYPES.csv, [toCsv([HEAD, ...lines])])
  toast({ text: `${plural(rows.length, 'agent')} exported` })
}
