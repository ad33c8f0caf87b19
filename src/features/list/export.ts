import type { Readable } from 'node:stream'
import { ExportedAgent } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import type { Core } from '../../core.ts'
import type { Export } from '../../platform/responses.ts'
import { recordAgentExport } from '../audit/feature.ts'
import { findAgents, type ListedAgent, readFilters } from './queries.ts'
import { AGENT_FILTERS, type AgentExportQuery, FORMULA_STARTS } from './schema.ts'

/** So few that the memory of an export is small, and that a place at the database is free again soon. */
const PAGE_SIZE = 100

/** Returns the agents that match the filters as text, oldest first. */
export async function exportAgents(
  core: Core,
  caller: Caller,
  { format = 'ndjson', cursor, ...query }: AgentExportQuery,
  endWithToken: Export<string>['endWithToken'],
): Promise<Readable> {
  const sql = core.database.searches.of(caller.teamId)
  const filters = readFilters(query)
  const toText = format === 'csv' ? toCsv : toLines
  return core.exports.start<string>({
    team: caller.teamId,
    endWithToken,
    read: async (position) => {
      const isFirst = position === undefined
      if (isFirst) await recordAgentExport(core, caller, { format, filters: namesOf(query), after: cursor })
      const after = position ?? cursor
      const { agents, hasNext } = await findAgents(sql, caller.teamId, filters, {
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

const COLUMNS = Object.keys(ExportedAgent.properties)

const LINE_END = '\r\n'

const CSV_HEADER = COLUMNS.join(',') + LINE_END

/** The line of an ExportedAgent. */
function toCsvLine(agent: Record<string, unknown>): string {
  return COLUMNS.map((name) => toCell(agent[name])).join(',') + LINE_END
}

/** Text and JSON are always in quotes: an empty cell without quotes is null. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${disarm(text).replaceAll('"', '""')}"`
}

const FORMULA = new RegExp(`^${FORMULA_STARTS}`)

/** An apostrophe makes it text. Text that already starts with one gets another, so that a reader can always remove
 * one. */
function disarm(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}
