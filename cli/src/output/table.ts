import { oneLine } from './safe-text.ts'
import type { Colour, Style } from './style.ts'
import { cut, pad, widthOf } from './width.ts'
import { wrap } from './wrap.ts'

export interface Column<Row> {
  title: string
  value: (row: Row, style: Style) => string
  colour?: (row: Row) => Colour | undefined
  /** It may be cut to this width, where the terminal is narrow. Absent: it is never cut. */
  minWidth?: number
  /** Columns with the highest number are the first to be left out on a narrow terminal. Absent: it always stays. */
  omitFirst?: number
  /** It is left out if no row has a value. */
  omitEmpty?: true
}

const GAP = '  '

/** Aligned columns that fit the terminal. */
export function renderTable<Row>(rows: readonly Row[], all: readonly Column<Row>[], style: Style): string {
  const cells = new Map(
    all.map((column) => [column, rows.map((row) => oneLine(column.value(row, style)))] as const),
  )
  const natural = (column: Column<Row>) =>
    Math.max(widthOf(column.title), ...(cells.get(column) ?? []).map(widthOf))
  const used = all.filter((column) => !column.omitEmpty || cells.get(column)?.some(Boolean))
  const columns = chooseColumns(used, natural, style.columns)
  const widths = shrink(columns, natural, style.columns)

  const line = (texts: string[], paint: (text: string, column: Column<Row>) => string) =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0
        const text = cut(texts[index] ?? '', width)
        // Painted before it is filled: a background or an underline would show the spaces.
        const isLast = index === columns.length - 1
        return paint(text, column) + (isLast ? '' : pad('', width - widthOf(text)))
      })
      .join(GAP)
      .trimEnd()

  const head = line(
    columns.map(({ title }) => title),
    (text) => style.paint(text, 'bold'),
  )
  const body = rows.map((row, index) =>
    line(
      columns.map((column) => cells.get(column)?.[index] ?? ''),
      (text, column) => style.paint(text, column.colour?.(row)),
    ),
  )
  return [head, ...body].join('\n')
}

type Width<Row> = (column: Column<Row>) => number

const minimum = <Row>(column: Column<Row>, natural: Width<Row>) =>
  Math.min(natural(column), column.minWidth ?? Number.POSITIVE_INFINITY)

const total = (widths: number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1))

/** Leaves out columns until the rest fits at its smallest. */
function chooseColumns<Row>(
  all: readonly Column<Row>[],
  natural: Width<Row>,
  available = Number.POSITIVE_INFINITY,
): Column<Row>[] {
  let columns = [...all]
  for (;;) {
    const last = columns
      .filter(({ omitFirst }) => omitFirst !== undefined)
      .toSorted((a, b) => (b.omitFirst ?? 0) - (a.omitFirst ?? 0))[0]
    if (!last || total(columns.map((column) => minimum(column, natural))) <= available) return columns
    columns = columns.filter((column) => column !== last)
  }
}

/** Takes columns from the widest that may be cut, one by one, until the line fits. */
function shrink<Row>(
  columns: readonly Column<Row>[],
  natural: Width<Row>,
  available = Number.POSITIVE_INFINITY,
): number[] {
  const widths = columns.map(natural)
  const least = columns.map((column) => minimum(column, natural))
  while (total(widths) > available) {
    const cuttable = widths.map((width, index) => (width > (least[index] ?? 0) ? width : -1))
    const widest = Math.max(...cuttable) < 0 ? -1 : cuttable.indexOf(Math.max(...cuttable))
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** Two columns: names and values, without the empty ones. */
export function renderPairs(
  pairs: readonly (readonly [name: string, value: string, colour?: Colour | undefined])[],
  style: Style,
): string {
  const width = Math.max(0, ...pairs.map(([name]) => widthOf(name)))
  const room = style.columns === undefined ? undefined : Math.max(20, style.columns - width - GAP.length)
  return pairs
    .filter(([, value]) => value !== '')
    .map(([name, value, colour]) => {
      const lines = value
        .split('\n')
        .flatMap((line) => (room === undefined ? [line] : wrap(line, room)))
        .map((line) => style.paint(line, colour))
      const filled = lines.join(`\n${' '.repeat(width)}${GAP}`)
      return `${style.paint(pad(name, width), 'bold')}${GAP}${filled}`.trimEnd()
    })
    .join('\n')
}
