import { colourOf } from './colours.ts'
import { oneLine } from './safe-text.ts'
import type { Style } from './style.ts'
import { type Column, renderPairs, renderTable } from './table.ts'

type Row = Record<string, unknown>

/** An object whose members another service defines: plain members first, then each list of objects as a table. */
export function renderOpenObject(object: Row, style: Style): string {
  const entries = Object.entries(object)
  const lists = entries.filter((entry): entry is [string, Row[]] => isRows(entry[1]))
  const plain = entries.filter(([, value]) => !isRows(value))
  const pairs = plain.map(
    ([name, value]) => [oneLine(name), show(name, value, style), colourOfState(value)] as const,
  )
  const tables = lists.map(
    ([name, rows]) => `${style.paint(oneLine(name), 'bold')}\n${renderTable(rows, columnsOf(rows), style)}`,
  )
  return [renderPairs(pairs, style), ...tables].filter(Boolean).join('\n\n')
}

const isRows = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null)

function columnsOf(rows: Row[]): Column<Row>[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return names.map((name, index) => ({
    title: oneLine(name).toUpperCase(),
    value: (row, style) => show(name, row[name], style),
    colour: (row) => colourOfState(row[name]),
    // A part of an id is of no use.
    ...(name !== 'id' && { minWidth: 16 }),
    // The last ones first; ids before all others, because they are long.
    omitFirst: name === 'id' ? names.length + 1 : index,
  }))
}

const colourOfState = (value: unknown) => (typeof value === 'string' ? colourOf(value) : undefined)

/** By convention, members whose names end in `_at` are times in Unix seconds. */
function show(name: string, value: unknown, style: Style): string {
  if (name.endsWith('_at') && Number.isSafeInteger(value)) return style.time(value as number)
  if (value === null || value === undefined) return ''
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}
