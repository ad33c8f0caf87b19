import { RequestValidationError, valueError } from '../contract/validation-error.ts'

export interface Cell {
  text: string
  /** An empty cell in quotes is an empty text; one without quotes is absent. */
  isQuoted: boolean
}

export interface CsvRecord {
  /** Where it starts, from 1. A cell in quotes can have line breaks. */
  line: number
  cells: Cell[]
}

const MAX_CELLS = 500
/** Twice what an agent may have: each quote of a text takes two characters. */
const MAX_CELL_LENGTH = 1024 * 1024

/** The records of a CSV text (RFC 4180). Lines may end with CRLF, LF or CR; empty lines, and lines of
 * empty cells, are left out. */
export function* parseCsv(text: string): Generator<CsvRecord> {
  let at = 0
  let line = 1

  const readQuoted = (): Cell => {
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && text[end + 1] === '"' && end - at <= MAX_CELL_LENGTH) {
      end = text.indexOf('"', end + 2)
    }
    if (end - at > MAX_CELL_LENGTH) throw unreadable(line, 'a cell is longer than 1 MiB')
    if (end === -1) throw unreadable(line, 'a cell that starts with a quote has no quote at its end')
    const raw = text.slice(at + 1, end)
    at = end + 1
    line += countLines(raw)
    return { text: raw.replaceAll('""', '"'), isQuoted: true }
  }
  const readPlain = (): Cell => {
    const start = at
    while (at < text.length && !CELL_ENDS.has(text[at] as string)) at++
    return { text: text.slice(start, at), isQuoted: false }
  }

  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] }
    for (;;) {
      record.cells.push(text[at] === '"' ? readQuoted() : readPlain())
      if (text[at] !== ',') break
      if (record.cells.length === MAX_CELLS) throw unreadable(line, `it has more than ${MAX_CELLS} cells`)
      at++
    }
    if (at < text.length) {
      if (text[at] !== '\r' && text[at] !== '\n') throw unreadable(line, 'a quote ends before its cell does')
      at += text.startsWith('\r\n', at) ? 2 : 1
      line++
    }
    if (record.cells.some(({ text: content, isQuoted }) => content !== '' || isQuoted)) yield record
  }
}

const CELL_ENDS = new Set([',', '\r', '\n'])

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

export function unreadable(line: number, reason: string): RequestValidationError {
  return new RequestValidationError([valueError(['body'], `line ${line} is not valid CSV: ${reason}`)])
}
