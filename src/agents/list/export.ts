import type { Readable } from 'node:stream'
import { AGENT_FILTERS } from '../../contract/agent-filters.ts'
import type { AgentExportQuery } from '../../contract/export.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Export, Exports } from '../../platform/fairness/exports.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { CSV_HEADER, toCsvLine } from './csv.ts'
import { readFilters } from './filters.ts'
import type { RequireFilterTable } from './readiness.ts'
import { type ListedAgent, listFilteredAgents } from './store.ts'

export interface AgentExportDeps {
  searches: Statements
  exports: Exports
  requireFilterTable: RequireFilterTable
  /** Writes the audit event. */
  recordExport: (caller: Caller, detail: object) => Promise<void>
}

export type AgentExport = ReturnType<typeof createAgentExport>

/** So few that the memory of an export is small, and that a place at the database is free again soon. */
const PAGE_SIZE = 100

/** Returns the agents that match the filters as text, oldest first. */
export function createAgentExport({ searches, exports, requireFilterTable, recordExport }: AgentExportDeps) {
  return async (
    caller: Caller,
    { format = 'ndjson', cursor, ...query }: AgentExportQuery,
    endWithToken: Export<string>['endWithToken'],
  ): Promise<Readable> => {
    await requireFilterTable(caller.teamId)
    const filters = readFilters(query)
    const toText = format === 'csv' ? toCsv : toLines
    return exports.start<string>({
      team: caller.teamId,
      endWithToken,
      read: async (position) => {
        const isFirst = position === undefined
        if (isFirst) await recordExport(caller, { format, filters: namesOf(query), after: cursor })
        const after = position ?? cursor
        const { agents, hasNext } = await listFilteredAgents(searches, caller.teamId, filters, {
          sort: 'created_at',
          limit: PAGE_SIZE,
          position: after === undefined ? undefined : [after],
          shape: { isExport: true },
        })
        const header = format === 'csv' && isFirst && cursor === undefined ? CSV_HEADER : ''
        return { text: header + toText(agents), next: hasNext ? agents.at(-1)?.id : undefined }
      },
    })
  }
}

/** The audit log has no values of fields. */
function namesOf(query: object): string[] {
  return Object.keys(AGENT_FILTERS).filter((name) => name in query)
}

/** JSON that another program has stored may have line breaks between its members. */
function toLines(agents: readonly ListedAgent[]): string {
  return agents.map(({ text }) => `${text.includes('\n') ? text.replaceAll('\n', ' ') : text}\n`).join('')
}

function toCsv(agents: readonly ListedAgent[]): string {
  return agents.map(({ text }) => toCsvLine(JSON.parse(text) as Record<string, unknown>)).join('')
}
