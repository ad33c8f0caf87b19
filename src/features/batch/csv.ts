import { AGENT_SCHEMAS } from '../../agent/schema.ts'
import { RequestValidationError, type ValidationError, valueError } from '../../api/problem.ts'
import type { CheckedPart, PartValidation } from '../../http/validation/body.ts'
import { isObject } from '../../platform/json.ts'
import { FORMULA_STARTS } from '../list/feature.ts'
import { type MemberPath, type ReadRow, readRow } from './import-rows.ts'
import { AgentImportRow } from './import-schema.ts'

interface Cell {
  text: string
  /** An empty cell in quotes is an empty text; one without quotes is absent. */
  isQuoted: boolean
}

interface CsvRow {
  /** Where it starts, from 1. A cell in quotes can have line breaks. */
  line: number
  cells: Cell[]
}

const MAX_CELLS = 500
/** Twice what an agent may have: each quote of a text takes two characters. */
const MAX_CELL_LENGTH = 1024 * 1024

/** The rows of a CSV text (RFC 4180). Lines may end with CRLF, LF or CR; empty lines, and lines of
 * empty cells, are left out. */
function* parseCsv(text: string): Generator<CsvRow> {
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
    const row: CsvRow = { line, cells: [] }
    for (;;) {
      row.cells.push(text[at] === '"' ? readQuoted() : readPlain())
      if (text[at] !== ',') break
      if (row.cells.length === MAX_CELLS) throw unreadable(line, `it has more than ${MAX_CELLS} cells`)
      at++
    }
    if (at < text.length) {
      if (text[at] !== '\r' && text[at] !== '\n') throw unreadable(line, 'a quote ends before its cell does')
      at += text.startsWith('\r\n', at) ? 2 : 1
      line++
    }
    if (row.cells.some(({ text: content, isQuoted }) => content !== '' || isQuoted)) yield row
  }
}

const CELL_ENDS = new Set([',', '\r', '\n'])

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

function unreadable(line: number, reason: string): RequestValidationError {
  return new RequestValidationError([valueError(['body'], `line ${line} is not valid CSV: ${reason}`)])
}

/** The rows of a CSV file, such as an export. */
export function* readCsvRows(text: string, rows: PartValidation): Generator<ReadRow> {
  let columns: PlacedColumn[] | undefined
  for (const row of parseCsv(text)) {
    if (columns) yield readCsvRow(row, columns, rows)
    else columns = sortByDepth(readColumns(row.cells))
  }
}

interface PlacedColumn {
  column: Column
  index: number
}

/** `agent_params` before `agent_params.temperature`, whatever their order in the file. */
function sortByDepth(columns: readonly Column[]): PlacedColumn[] {
  return columns
    .map((column, index) => ({ column, index }))
    .toSorted((a, b) => a.column.path.length - b.column.path.length)
}

function readCsvRow(
  { cells, line }: CsvRow,
  columns: readonly PlacedColumn[],
  rows: PartValidation,
): ReadRow {
  if (cells.length !== columns.length) {
    const reason = `this line has ${cells.length} cells, and the first line has ${columns.length}`
    return readRow({ value: undefined, errors: [valueError([], reason)] }, line)
  }
  const value: Record<string, unknown> = {}
  const errors: ValidationError[] = []
  const paths: MemberPath[] = []
  for (const { column, index } of columns) {
    const read = readCell(column, cells[index] as Cell, rows)
    if (!read) continue
    errors.push(...read.errors)
    paths.push(column.path)
    if (read.errors.length === 0 && !setMember(value, column.path, read.value)) {
      errors.push(valueError([...column.path], 'another column says that it is in no object'))
    }
  }
  const wholes = paths.flatMap(([field, ...rest]) => (rest.length === 0 ? [field] : []))
  const members = paths.filter(([field]) => !wholes.includes(field))
  return { ...readRow({ value, errors }, line), ...(members.length > 0 && { members }) }
}

const DISARMED = new RegExp(`^'(?=${FORMULA_STARTS})`)

/** Undefined if the cell is empty. */
function readCell(
  { path, kind }: Column,
  { text, isQuoted }: Cell,
  rows: PartValidation,
): CheckedPart | undefined {
  // An export puts an apostrophe before what a spreadsheet would take for a formula.
  const plain = text.replace(DISARMED, '')
  const isText = kind === 'text' || kind === 'ignored' || (kind === 'by_content' && !/^\s*[[{]/.test(plain))
  if (plain === '' && !(isText && isQuoted)) return undefined
  const json = isText ? JSON.stringify(plain) : kind === 'boolean' ? plain.toLowerCase() : plain
  return kind === 'ignored' ? { value: plain, errors: [] } : readJson(json, path, rows, HINTS[kind])
}

/** What a cell must be, since spreadsheets write numbers and booleans as the language of their user does. */
const HINTS = {
  text: 'a text',
  boolean: 'true or false',
  number: 'a number such as 1000 or 0.5',
  json: 'a JSON value such as ["a"] or {"a": 1}',
  by_content: 'a JSON value such as ["a"] or {"a": 1}',
}

/** The errors of a value depend on the field that it is in. */
function readJson(json: string, path: readonly string[], rows: PartValidation, hint: string): CheckedPart {
  const notJson = {
    value: undefined,
    errors: [{ loc: [...path], msg: `JSON decode error, the cell must be ${hint}`, type: 'json_invalid' }],
  }
  // First: the text of a cell must not close the object around it.
  if (!isJson(json)) return notJson
  const wrapped = path.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, json)
  const { value, errors } = rows.parse(wrapped)
  if (value === undefined) return notJson
  return {
    value: path.reduce<unknown>((object, name) => (object as Record<string, unknown>)[name], value),
    errors,
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns false if a value on the way is no object. */
function setMember(
  object: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): boolean {
  if (rest.length === 0) {
    object[name] = value
    return true
  }
  const inner = Object.hasOwn(object, name) ? object[name] : (object[name] = {})
  return isObject(inner) && setMember(inner, rest, value)
}

/** A column of a CSV file. */
interface Column {
  /** The field, and for a column such as `agent_params.temperature` the members within it. */
  path: readonly string[]
  /** `by_content`: the API document does not declare the member. */
  kind: 'text' | 'boolean' | 'number' | 'json' | 'by_content' | 'ignored'
}

const MAX_DEPTH = 8

/** The columns that the first line of a file names. */
function readColumns(cells: readonly Cell[]): Column[] {
  const names = cells.map(({ text }) => text.trim())
  // Spreadsheets write columns without a name after those that were used.
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (repeated !== undefined) {
    throw unreadable(1, `two columns have the same name, ${showName(repeated)}`)
  }
  const columns = names.map(toColumn)
  if (columns.every(({ kind }) => kind === 'ignored')) throw unreadable(1, NO_FIELD)
  return columns
}

const NO_FIELD =
  'no column has the name of a field; it must have names such as external_key,agent_name,model_name, separated ' +
  'by commas'

const MAX_NAME_LENGTH = 100
const showName = (name: string) => name.slice(0, MAX_NAME_LENGTH).toWellFormed()

interface Schema {
  $id?: string
  type?: string | string[]
  $ref?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

function toColumn(name: string): Column {
  const path = name.split('.')
  const isKnown = Object.hasOwn(AgentImportRow.properties, path[0] ?? '')
  if (!isKnown) return { path: [name], kind: 'ignored' }
  if (path.length > MAX_DEPTH || path.includes('__proto__') || path.includes('')) {
    throw unreadable(1, `the name of a column is not valid: ${showName(name)}`)
  }
  return { path, kind: kindOf(path.reduce<Schema | undefined>(member, AgentImportRow as Schema)) }
}

const NAMED = new Map((AGENT_SCHEMAS as Schema[]).map((schema) => [`${schema.$id}#`, schema]))

function member(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties = {} } = schema ?? {}
  return Object.hasOwn(properties, name) ? resolve(properties[name]) : undefined
}

/** The schema itself, of one that may also be null or is a reference. */
function resolve(schema: Schema | undefined): Schema | undefined {
  const other = schema?.anyOf?.find(({ type }) => type !== 'null') ?? schema
  return other?.$ref === undefined ? other : NAMED.get(other.$ref)
}

function kindOf(schema: Schema | undefined): Column['kind'] {
  const types = [schema?.type ?? []].flat()
  if (types.length === 0) return 'by_content'
  // A decimal number is a text or a number, and keeps its digits as a text.
  if (types.includes('string')) return 'text'
  if (types.includes('boolean')) return 'boolean'
  return types.includes('integer') || types.includes('number') ? 'number' : 'json'
}
