import { missing, RequestValidationError, type ValidationError, valueError } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import type { Core } from '../../core.ts'
import type { PartValidation } from '../../http/validation/body.ts'
import { isObject } from '../../platform/json.ts'
import {
  CardFetchError,
  type CardFetcher,
  type FetchRequest,
  fetchCard,
  present,
  readCardFields,
} from '../cards/feature.ts'
import { readCsvRows } from './csv.ts'
import { notAnObject, type ReadRow, readRow } from './import-rows.ts'
import {
  type AgentImport,
  IMPORT_CONTENT,
  type ImportMediaType,
  MAX_EXTERNAL_KEY_LENGTH,
  MAX_IMPORT_ROWS,
} from './import-schema.ts'

/** Validates JSON bodies and single rows as the bodies of requests are validated. */
export interface ImportValidation {
  body: PartValidation
  rows: PartValidation
}

export interface ImportBody {
  /** The header Content-Type. */
  contentType: string | undefined
  bytes: Buffer | undefined
}

type Rows = Iterable<ReadRow> | Promise<Iterable<ReadRow>>

/** Reads the rows of a request. Throws if the body as a whole cannot be read. */
export async function* readRows(
  core: Core,
  validation: ImportValidation,
  { contentType, bytes }: ImportBody,
  context: FetchRequest,
): AsyncGenerator<ReadRow> {
  if (bytes === undefined) throw refusal(missing())
  const text = decode(bytes)
  let count = 0
  for (const row of await read(core, validation, mediaTypeOf(contentType), text, context)) {
    if (++count > MAX_IMPORT_ROWS) throw refusal(tooMany())
    yield row
  }
  if (count === 0) throw refusal(NO_ROWS)
}

function read(
  core: Core,
  validation: ImportValidation,
  mediaType: ImportMediaType | undefined,
  text: string,
  context: FetchRequest,
): Rows {
  switch (mediaType) {
    case 'application/json':
      return readJson(core, validation, text, context)
    case 'application/x-ndjson':
    case 'application/jsonl':
      return readJsonLines(text, validation.rows)
    case 'text/csv':
      return readCsvRows(text, validation.rows)
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

const SOURCES = ['rows', 'card', 'card_url'] as const

const OF_CARD = ['external_key', 'expected_revision', 'override_name'] as const

/** So many errors were reported that there may be more. */
const MAX_ERRORS = 100

async function readJson(
  core: Core,
  validation: ImportValidation,
  text: string,
  context: FetchRequest,
): Promise<Iterable<ReadRow>> {
  const { value, errors } = validation.body.parse(text)
  const isOfRow = ({ loc: [member, index] }: ValidationError) =>
    member === 'rows' && typeof index === 'number'
  if (errors.length >= MAX_ERRORS) throw refusal(...errors)
  refuse(errors.filter((error) => !isOfRow(error)))
  // The rows are validated one by one: one that is not valid does not stop the others.
  const list = isObject(value) && Array.isArray(value['rows']) ? (value['rows'] as unknown[]) : undefined
  // Before the validation, which takes a second for two million rows.
  if (list && list.length > MAX_IMPORT_ROWS) throw refusal({ ...tooMany(), loc: ['rows'] })
  const withoutRows = list ? { ...(value as object), rows: list.map(() => null) } : (value as object)
  refuse(validation.body.validate(withoutRows).errors)
  const body = value as AgentImport
  const given = SOURCES.filter((name) => body[name] !== undefined)
  if (given.length !== 1) throw refusal(valueError([], `send exactly one of ${SOURCES.join(', ')}`))
  if (body.rows) {
    const misplaced = OF_CARD.filter((name) => body[name] !== undefined)
    refuse(misplaced.map((name) => valueError([name], 'this is for card and card_url only')))
  }
  if (list) return jsonRows(list, errors)
  return [await readCardRow(core, body, context)]
}

function* jsonRows(list: readonly unknown[], errors: readonly ValidationError[]): Generator<ReadRow> {
  const byRow = Map.groupBy(errors, ({ loc }) => loc[1])
  for (const [index, value] of list.entries()) {
    const own = (byRow.get(index) ?? []).map(({ loc: [, , ...path], ...rest }) => ({ loc: path, ...rest }))
    yield readRow({ value, errors: own }, null)
  }
}

/** One JSON object in each line. A line that is no JSON is a row with a fault: the others can still be imported. */
function* readJsonLines(text: string, rows: PartValidation): Generator<ReadRow> {
  let line = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    line++
    const content = text.slice(start, end).trim()
    if (content !== '') yield readRow(rows.parse(content), line)
    start = end + 1
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

/** The members of a JSON body except `rows`: a card, and options. Their schema has been checked. */
type CardImport = Omit<AgentImport, 'rows'>

/** Reads the row of an import from an agent card. A card that cannot be fetched is a fault of its row. */
export async function readCardRow(
  core: CardFetcher & Pick<Core, 'now'>,
  request: CardImport,
  context: FetchRequest,
): Promise<ReadRow> {
  const { card, card_url: url = '', external_key: key = null } = request
  if (card) return toCardRow(core, request, readCardFields(card))
  try {
    const fetched = await fetchCard(core, url, context)
    return toCardRow(core, request, readCardFields(fetched.value, fetched), fetched.url)
  } catch (error) {
    if (error instanceof CardFetchError) return rowWithFaults(key, error.faults)
    throw error
  }
}

/** A card does not say which model an agent uses. */
const UNKNOWN_MODEL = 'unknown'

const LONG_KEY = valueError(
  [],
  `the URL of the card has more than ${MAX_EXTERNAL_KEY_LENGTH} characters; send external_key`,
)

/** The id of an agent would let the author of the card choose which agent of the team the import changes. */
const UUID_KEY = valueError([], 'the URL of the preferred interface is a UUID; send external_key')

/** Without a given key, the URL of the card or else of its preferred interface is the key. */
function toCardRow(
  { now }: Pick<Core, 'now'>,
  request: CardImport,
  card: ReturnType<typeof readCardFields>,
  url?: string,
): ReadRow {
  const { external_key: given, override_name: name } = request
  if (!card.fields) return rowWithFaults(given ?? url ?? null, card.faults)
  const { agent_name, import_metadata, ...fields } = card.fields
  const { pinned_interface: pinned, interfaces } = import_metadata
  const key = given ?? url ?? (pinned ?? interfaces[0])?.url ?? ''
  if (key.length > MAX_EXTERNAL_KEY_LENGTH) return rowWithFaults(null, [LONG_KEY])
  if (given === undefined && parseUuid(key).ok) return rowWithFaults(null, [UUID_KEY])
  return {
    ...emptyRow(key),
    expectedRevision: request.expected_revision,
    importedAt: Math.floor(now() / 1_000),
    fields: present({
      ...fields,
      protocol: 'a2a',
      agent_name: name ?? agent_name,
      import_metadata: present({ ...import_metadata, override_name: name }),
      rate_limit_requests_per_minute: request.rate_limit_requests_per_minute,
    }),
    onCreate: { model_name: UNKNOWN_MODEL, access_level: 'grey_box' },
    warnings: card.warnings,
  }
}

function rowWithFaults(key: string | null, faults: readonly ValidationError[]): ReadRow {
  return { ...emptyRow(key), faults }
}

const emptyRow = (externalKey: string | null): ReadRow => ({
  externalKey,
  fields: {},
  warnings: [],
  faults: [],
  line: null,
  importedAt: null,
  isForeign: true,
})
