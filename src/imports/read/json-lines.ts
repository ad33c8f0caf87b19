import type { ImportRow } from '../row.ts'
import type { Validation } from '../validation.ts'
import { toRow } from './to-row.ts'

/** One JSON object in each line. A line that is no JSON is a row with a fault: the others can still be imported. */
export function* readJsonLines(text: string, rows: Validation): Generator<ImportRow> {
  let line = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    line++
    const content = text.slice(start, end).trim()
    if (content !== '') yield toRow(rows.parse(content), line)
    start = end + 1
  }
}
