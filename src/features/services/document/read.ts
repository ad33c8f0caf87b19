import { upgrade } from '@scalar/openapi-upgrader'
import { validate } from '@scalar/openapi-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../../../platform/json.ts'
import {
  DATA,
  DocumentInvalid,
  listAt,
  MAX_BYTES,
  MAX_ERRORS,
  type Node,
  nodeAt,
  pointerTo,
  resolve,
  segmentsOf,
  textOf,
  valueAt,
  walk,
} from './document.ts'

const MAX_VALUES = 1_000_000
const MAX_LEVELS = 128

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A document in OpenAPI 3.1 from the bytes that a service sent. Throws DocumentInvalid with the reasons why it cannot
 * be used. */
export function readDocument(bytes: Uint8Array): Node {
  const document = upgradeDocument(parseDocument(bytes))
  validateDocument(document)
  return document
}

/** Parses a document from JSON or YAML, within bounds of size and depth. */
function parseDocument(bytes: Uint8Array): Node {
  if (bytes.length > MAX_BYTES) throw new DocumentInvalid(`It is larger than ${MAX_BYTES} bytes.`)
  const text = attempt(() => utf8.decode(bytes), 'It is not UTF-8')
  // The YAML parser also reads JSON, at a twentieth of the speed.
  const isJson = /^\s*\{/.test(text)
  const parse: (text: string) => unknown = isJson ? JSON.parse : parseYaml
  const document = attempt(() => parse(text), 'It is neither JSON nor YAML')
  if (!isObject(document)) throw new DocumentInvalid('It is not an object.')
  checkBounds(document)
  // A YAML alias puts the same object in several places. Later stages change objects in place, so each must be
  // separate.
  const separate = isJson ? document : (JSON.parse(JSON.stringify(document)) as Node)
  if (!isJson || text.includes('null')) dropEmpty(separate)
  return separate
}

function attempt<Result>(run: () => Result, failure: string): Result {
  try {
    return run()
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new DocumentInvalid(`${failure}: ${reason}`)
  }
}

/** Counts what a YAML alias stands for at each place where it is used. */
function checkBounds(document: Node): void {
  let values = 0
  const visit = (value: unknown, level: number) => {
    values++
    if (values > MAX_VALUES) throw new DocumentInvalid(`It has more than ${MAX_VALUES} values.`)
    if (level > MAX_LEVELS) throw new DocumentInvalid(`It is nested deeper than ${MAX_LEVELS} levels.`)
    if (typeof value !== 'object' || value === null) return
    // Copying such an object would change the prototype of the copy.
    if (Object.hasOwn(value, '__proto__')) throw new DocumentInvalid('It uses the name __proto__.')
    for (const key in value) visit((value as Node)[key], level + 1)
  }
  visit(document, 0)
}

/** An empty YAML value is null. Outside of data it is treated as absent. */
function dropEmpty(document: Node): void {
  walk(document, (node) => {
    for (const key of Object.keys(node)) {
      if (node[key] === null && !DATA.has(key) && !key.startsWith('x-')) delete node[key]
    }
  })
}

/** The first three would change how references resolve: the console resolves all of them from the root. Addresses and
 * security schemes of the service do not apply at the console. */
const DROPPED = ['$id', '$anchor', '$schema', 'servers', 'security']

/** The document in OpenAPI 3.1, without what does not apply at the console. */
function upgradeDocument(document: Node): Node {
  const version = textOf(document['openapi'] ?? document['swagger'], 'none')
  if (!/^3\.[01]\b/.test(version)) {
    throw new DocumentInvalid(`It declares OpenAPI version ${version}; 3.0 and 3.1 are understood.`)
  }
  const upgraded = version.startsWith('3.0') ? (upgrade(document, '3.1') as unknown as Node) : document
  walk(upgraded, (node) => {
    if (version.startsWith('3.0')) replaceNullable(node)
    for (const keyword of DROPPED) if (node[keyword] !== undefined) delete node[keyword]
  })
  return upgraded
}

/** 3.1 has no `nullable`. The upgrader leaves it where there is no `type` to add null to. */
function replaceNullable(schema: Node): void {
  if (typeof schema['nullable'] !== 'boolean') return
  const isNullable = schema['nullable']
  delete schema['nullable']
  if (!isNullable) return
  for (const keyword of ['oneOf', 'anyOf']) {
    if (isObject(schema[keyword]) || listAt(schema, keyword).length === 0) continue
    schema[keyword] = [...listAt(schema, keyword), { type: 'null' }]
    return
  }
  const values = schema['enum']
  if (Array.isArray(values) && !values.includes(null)) schema['enum'] = [...values, null]
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

// Compiles the schemas when the module loads, so only worker threads import it.
validate({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })
void ajv.validateSchema({})

/** Refuses a document that is not valid by the OpenAPI 3.1 schema, or whose references do not resolve inside it. */
export function validateDocument(document: Node): void {
  const errors = (validate(document).errors ?? []).map(
    ({ message, path }) => `${message.trim()} (#${String(path)})`,
  )
  if (errors.length === 0) errors.push(...findPartErrors(document))
  if (errors.length > 0) throw new DocumentInvalid(...new Set(errors.slice(0, MAX_ERRORS)))
}

/** What the OpenAPI schema does not check: the JSON Schemas inside the document, and its references. */
function findPartErrors(document: Node): Set<string> {
  const errors = new Set<string>()
  const checkSchema = (schema: unknown) => {
    if (!isObject(schema) || ajv.validateSchema(schema) === true) return
    const [error] = ajv.errors ?? []
    errors.add(`${error?.message} (${placeOf(document, schema)}${error?.instancePath})`)
  }
  Object.values(nodeAt(nodeAt(document, 'components'), 'schemas')).forEach(checkSchema)
  walk(document, (node) => {
    checkSchema(node['schema'])
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (typeof node[keyword] === 'string') errors.add(`It uses ${keyword}, which is not supported.`)
    }
    const reference = node['$ref']
    if (typeof reference !== 'string') return
    if (!reference.startsWith('#/')) errors.add(`The reference ${reference} leads out of the document.`)
    // `true` and `false` are schemas.
    else if (!resolve(document, node) && typeof valueAt(document, segmentsOf(reference)) !== 'boolean')
      errors.add(`The reference ${reference} leads nowhere.`)
  })
  return errors
}

function placeOf(root: unknown, wanted: unknown, place: string[] = []): string | undefined {
  if (root === wanted) return pointerTo(...place)
  if (typeof root !== 'object' || root === null) return undefined
  for (const [key, value] of Object.entries(root)) {
    const found = placeOf(value, wanted, [...place, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** Fields that pages render as Markdown. */
const TEXT_FIELDS = new Set(['title', 'summary', 'description', '$comment'])
/** Fields that pages turn into links. */
const URL_FIELDS = new Set(['url', 'externalValue', 'namespace'])
const PROTOCOLS = ['http:', 'https:', 'mailto:']

/** Makes the text of an object safe to render: the page that shows it is on the console's origin. */
export function cleanText(node: Node): void {
  for (const key in node) {
    const value = node[key]
    if (key.startsWith('x-')) node[key] = cleanExtension(value)
    else if (key === 'externalDocs' && isObject(value) && !isSafeUrl(value['url'])) delete node[key]
    else if (typeof value !== 'string') continue
    else if (TEXT_FIELDS.has(key)) node[key] = escapeText(value)
    else if (URL_FIELDS.has(key) && !isSafeUrl(value)) delete node[key]
  }
}

/** `](target` of a link or an image, and `[label]: target` at the start of a line. */
const LINK_TARGET = /(\]\(\s*|^[ >]*\[[^\]\n]*\]:\s*)(<[^>\n]*>|(?:\([^\s()]*\)|[^\s()])+)/gm
/** HTML begins with `<` and one of these; a comparison such as `a < b` does not. */
const TAG_START = /<(?=[a-z/!?])/gi

/** Escapes HTML, and replaces the target of a link with an unsafe protocol by `#`. */
export function escapeText(text: string): string {
  return text
    .replaceAll(LINK_TARGET, (link, opening: string, target: string) =>
      isSafeTarget(target.replaceAll(/^<|>$/g, '')) ? link : `${opening}#`,
    )
    .replaceAll(TAG_START, '&lt;')
}

/** A colon before the first slash, question mark or hash must belong to an allowed protocol. `&` and `\` are refused
 * there, because they could encode a colon. */
function isSafeTarget(target: string): boolean {
  const [start = ''] = target.split(/[/?#]/, 1)
  if (/[&\\]/.test(start)) return false
  return !start.includes(':') || isSafeUrl(target)
}

function isSafeUrl(url: unknown): boolean {
  return typeof url === 'string' && PROTOCOLS.includes(URL.parse(url)?.protocol ?? '')
}

const SCRIPT_URL = /^[\s\p{C}]*(?:javascript|vbscript|data)[\s\p{C}]*:/iu

/** What an extension means is not known, so all of its strings count as text. */
function cleanExtension(value: unknown): unknown {
  if (typeof value === 'string') return SCRIPT_URL.test(value) ? '' : escapeText(value)
  if (Array.isArray(value)) return value.map(cleanExtension)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cleanExtension(member)]))
}
