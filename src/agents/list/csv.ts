import { ExportedAgent, FORMULA_STARTS } from '../../contract/export.ts'

const COLUMNS = Object.keys(ExportedAgent.properties)

const LINE_END = '\r\n'

export const CSV_HEADER = COLUMNS.join(',') + LINE_END

/** The line of an ExportedAgent. */
export function toCsvLine(agent: Record<string, unknown>): string {
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

/** An apostrophe makes it text. Text that already starts with one gets another, so that a reader can always remove one. */
function disarm(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}
