import {
  type AgentImport,
  IMPORT_CONTENT,
  type ImportMediaType,
  MAX_IMPORT_ROWS,
} from '../../contract/imports.ts'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import type { ImportRow, ReadRows } from '../row.ts'
import { isObject, missing, notAnObject, type Validation, valueError } from '../validation.ts'
import { readCsvRows } from './csv-rows.ts'
import { readJsonLines } from './json-lines.ts'
import { toRow } from './to-row.ts'
import { readYaml } from './yaml.ts'

export interface ReadDeps {
  rows: Validation
  request: Validation
  /** Undefined if this console reads no cards. */
  readCards: ReadRows | undefined
}

export interface ImportBody {
  /** The header Content-Type. */
  contentType: string | undefined
  bytes: Buffer | undefined
}

type Rows = Iterable<ImportRow> | Promise<Iterable<ImportRow>>

/** Reads the rows of a request. Throws if the body as a whole cannot be read. */
export async function* readRows(
  deps: ReadDeps,
  { contentType, bytes }: ImportBody,
  context: Parameters<ReadRows>[1],
): AsyncGenerator<ImportRow> {
  if (bytes === undefined) throw refusal(missing())
  const text = decode(bytes)
  let count = 0
  for (const row of await read(deps, mediaTypeOf(contentType), text, context)) {
    if (++count > MAX_IMPORT_ROWS) throw refusal(tooMany())
    yield row
  }
  if (count === 0) throw refusal(NO_ROWS)
}

function read(
  deps: ReadDeps,
  mediaType: ImportMediaType | undefined,
  text: string,
  context: Parameters<ReadRows>[1],
): Rows {
  switch (mediaType) {
    case 'application/json':
      return readJson(deps, text, context)
    case 'application/x-ndjson':
    case 'application/jsonl':
      return readJsonLines(text, deps.rows)
    case 'text/csv':
      return readCsvRows(text, deps.rows)
    case 'application/yaml':
      return readYaml(text, deps.rows, context.signal)
    default:
      throw refusal(notAnObject(OTHER_TYPE))
  }
}

const MEDIA_TYPES = Object.keys(IMPORT_CONTENT) as ImportMediaType[]
const OTHER_TYPE = `. Send the header Content-Type with one of ${MEDIA_TYPES.join(', ')}`

/** As elsewhere, a body without a media type counts as JSON. */
function mediaTypeOf(contentType: string | undefined): ImportMediaType | undefined {
  const [type = ''] = (contentType ?? 'application/json').split(';')
  const name = type.trim().toLowerCase()
  if (/^application\/[\w.+-]+\+json$/.test(name)) return 'application/json'
  return MEDIA_TYPES.find((known) => known === name)
}

const SOURCES = ['rows', 'card', 'card_url', 'catalog', 'catalog_url'] as const

/** In a catalog, every agent would get the same name. */
const OF_ONE_CARD = ['external_key', 'override_name'] as const

/** So many errors were reported that there may be more. */
const MAX_ERRORS = 100

function readJson({ request, readCards }: ReadDeps, text: string, context: Parameters<ReadRows>[1]): Rows {
  const { value, errors } = request.parse(text)
  const isOfRow = ({ loc: [member, index] }: ValidationError) =>
    member === 'rows' && typeof index === 'number'
  if (errors.length >= MAX_ERRORS) throw refusal(...errors)
  refuse(errors.filter((error) => !isOfRow(error)))
  // The rows are validated one by one: one that is not valid does not stop the others.
  const list = isObject(value) && Array.isArray(value['rows']) ? (value['rows'] as unknown[]) : undefined
  // Before the validation, which takes a second for two million rows.
  if (list && list.length > MAX_IMPORT_ROWS) throw refusal({ ...tooMany(), loc: ['rows'] })
  refuse(
    request.validate(list ? { ...(value as object), rows: list.map(() => null) } : (value as object)).errors,
  )
  const body = value as AgentImport
  const given = SOURCES.filter((name) => body[name] !== undefined)
  if (given.length !== 1) throw refusal(valueError([], `send exactly one of ${SOURCES.join(', ')}`))
  if (body.card === undefined && body.card_url === undefined) {
    const misplaced = OF_ONE_CARD.filter((name) => body[name] !== undefined)
    refuse(misplaced.map((name) => valueError([name], 'this is for card and card_url only')))
  }
  if (list) return jsonRows(list, errors)
  if (!readCards) throw refusal(valueError([given[0] as string], 'this console imports rows only'))
  return readCards(body, context)
}

function* jsonRows(list: readonly unknown[], errors: readonly ValidationError[]): Generator<ImportRow> {
  const byRow = Map.groupBy(errors, ({ loc }) => loc[1])
  for (const [index, value] of list.entries()) {
    const own = (byRow.get(index) ?? []).map(({ loc: [, , ...path], ...rest }) => ({ loc: path, ...rest }))
    yield toRow({ value, errors: own }, null)
  }
}

/** Without the byte order mark that spreadsheets write. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refusal({
      loc: [],
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
      type: 'string_unicode',
    })
  }
}

const NO_ROWS: ValidationError = {
  loc: [],
  msg: 'List should have at least 1 item after validation, not 0',
  type: 'too_short',
}

const tooMany = (): ValidationError => ({
  loc: [],
  msg: `List should have at most ${MAX_IMPORT_ROWS} items after validation`,
  type: 'too_long',
})

function refusal(...errors: ValidationError[]): RequestValidationError {
  return new RequestValidationError(errors.map(({ loc, ...rest }) => ({ loc: ['body', ...loc], ...rest })))
}

function refuse(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw refusal(...errors)
}
