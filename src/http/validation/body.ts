import type { Static, TSchema } from 'typebox'
import { DECIMAL_MAX_LENGTH, DECIMAL_PATTERN, plainDecimal } from '../../api/fields.ts'
import { RequestValidationError, type ValidationError } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import { isExactNumber, type JsonBody, parseExactJson, type Violation } from '../../platform/json.ts'
import type { RawBody } from '../request.ts'
import { type Check, type JsonSchema, SchemaCompiler } from './check-value.ts'
import { ErrorList } from './error-list.ts'

const TOO_MANY_DIGITS = `this number has more than ${DECIMAL_MAX_LENGTH} characters in plain notation`

const NOT_JSON = '. The Content-Type of the body is not JSON: send the header Content-Type: application/json'

/** Reads bodies of one schema. Nothing is coerced, defaulted or removed. */
export class BodyReader {
  readonly #schema: JsonSchema
  readonly #check: Check
  readonly #names: string[]
  readonly #isKnown: (name: string) => boolean

  constructor(schema: JsonSchema, compiler: SchemaCompiler) {
    this.#check = compiler.compile(schema, 'body')
    this.#schema = schema.$ref ? compiler.resolve(schema.$ref) : schema
    const { properties, additionalProperties } = this.#schema
    this.#names = Object.keys(properties ?? {})
    // `__proto__` is always known: copying it would change the prototype.
    const known = new Set(properties ? [...this.#names, '__proto__'] : [])
    // An open body is stored with all its members. Otherwise unknown members are ignored.
    const isOpen = properties !== undefined && additionalProperties === true
    this.#isKnown = (name) => isOpen || known.has(name)
  }

  /** Validates a body and returns the value for the handler. */
  read(raw: RawBody | undefined, errors: ErrorList): unknown {
    if (raw && !raw.isJson) {
      const type = this.#schema.properties ? 'model_attributes_type' : 'dict_type'
      return errors.add(['body'], type, NOT_JSON)
    }
    const bodyErrors = new ErrorList()
    const value = raw && this.parse(raw.bytes, bodyErrors)
    // Clients that serialise an absent object send `null`.
    if (value === undefined || value === null) return errors.add(['body'], 'missing')
    this.#check(value, ['body'], bodyErrors)
    this.#normaliseUuids(value)
    for (const error of this.#inFieldOrder(bodyErrors.errors)) errors.append(error)
    return value
  }

  /** Parses JSON and adds the errors that only its text shows, such as too many digits. Throws if it is not JSON. */
  parse(bytes: Buffer, errors: ErrorList): unknown {
    const { value, violations, numbers } = readJson(bytes, this.#isKnown)
    for (const violation of violations) addViolation(violation, errors)
    for (const [name, literal] of numbers) {
      this.#checkNumber(name, literal, value as Record<string, unknown>, errors)
    }
    return value
  }

  /** A decimal keeps every digit of the literal. An integer must have no fraction, and a number or an undeclared member
   * must be exact as a double. `#check` reports any other type. */
  #checkNumber(name: string, literal: string, body: Record<string, unknown>, errors: ErrorList): void {
    // If a name occurs twice, JSON.parse keeps the last value, which may not be a number.
    if (typeof body[name] !== 'number') return
    const field = this.#names.includes(name) ? this.#schema.properties?.[name] : undefined
    const types = [field?.type ?? 'number'].flat()
    if (field?.pattern === DECIMAL_PATTERN) {
      const plain = plainDecimal(literal)
      if (plain !== null) body[name] = plain
      else errors.add(['body', name], 'value_error', TOO_MANY_DIGITS)
    } else if (types.includes('integer') && !isExactNumber(literal)) {
      if (Number.isSafeInteger(body[name])) errors.add(['body', name], 'int_from_float')
    } else if (types.includes('number') && !isExactNumber(literal)) {
      addViolation({ kind: 'inexact_number', path: [name], literal }, errors)
    }
  }

  #normaliseUuids(value: unknown): void {
    for (const [name, { format }] of Object.entries(this.#schema.properties ?? {})) {
      if (format !== 'uuid') continue
      const body = value as Record<string, unknown>
      const text = body[name]
      const parsed = typeof text === 'string' ? parseUuid(text) : undefined
      if (parsed?.ok) body[name] = parsed.uuid
    }
  }

  /** At most one error for each location, in the order in which the schema declares its fields. */
  #inFieldOrder(errors: readonly ValidationError[]): ValidationError[] {
    if (errors.length === 0) return []
    const byLocation = new Map(errors.map((error) => [JSON.stringify(error.loc), error]))
    const positionOf = ({ loc }: ValidationError) => this.#names.indexOf(String(loc[1]))
    return [...byLocation.values()].toSorted((a, b) => positionOf(a) - positionOf(b))
  }
}

/** Throws if it is no JSON. */
function readJson(bytes: Buffer, isKnown: (name: string) => boolean): JsonBody {
  const read = parseExactJson(bytes, isKnown)
  if (!('errorAt' in read)) return read
  const error = { loc: ['body', read.errorAt], msg: 'JSON decode error', type: 'json_invalid' }
  throw new RequestValidationError([error])
}

/** `start`: where the value is. */
function addViolation(
  { kind, path, literal }: Violation,
  errors: ErrorList,
  start: readonly string[] = ['body'],
): void {
  const loc = [...start, ...path]
  if (kind === 'prototype_name') return errors.add(loc, 'value_error', 'the name __proto__ is not accepted')
  if (kind === 'nul') return errors.add(loc, 'value_error', 'text may not contain the character U+0000')
  if (kind === 'lone_surrogate') return errors.add(loc, 'string_unicode')
  if (!Number.isFinite(Number(literal))) return errors.add(loc, 'finite_number')
  errors.add(loc, 'value_error', 'this number has more digits than a double-precision number keeps')
}

/** A value and what is wrong with it; `loc` is relative to the value. */
export interface CheckedPart {
  value: unknown
  errors: readonly ValidationError[]
}

/** Validates values that a handler finds in a body that it reads itself, such as the rows of an import. */
export interface PartValidation {
  /** Parses JSON and returns the errors that only its text shows. Without a value if it is no JSON. */
  parse: (text: string) => CheckedPart
  /** Validates a value against the schema, as a body is validated. */
  validate: (value: object) => CheckedPart
}

export function createPartValidation(reader: BodyReader): PartValidation {
  const check = (read: (errors: ErrorList) => unknown): CheckedPart => {
    const { value, errors } = collect(read)
    return { value, errors: errors.map(({ loc: [, ...loc], ...rest }) => ({ ...rest, loc })) }
  }
  const toRaw = (value: object) => ({ bytes: Buffer.from(JSON.stringify(value)), isJson: true })
  return {
    parse: (text) => check((errors) => reader.parse(Buffer.from(text), errors)),
    validate: (value) => check((errors) => reader.read(toRaw(value), errors)),
  }
}

/** Returns a function that validates a value as a body of this schema and returns it for the handler. */
export function createBodyCheck<Schema extends TSchema>(
  reader: BodyReader,
): (given: unknown) => Static<Schema> {
  return (given) => {
    const bytes = Buffer.from(JSON.stringify(given))
    const { value, errors } = collect((list) => reader.read({ bytes, isJson: true }, list))
    if (errors.length > 0) throw new RequestValidationError(errors)
    return value as Static<Schema>
  }
}

function collect(read: (errors: ErrorList) => unknown): CheckedPart {
  const errors = new ErrorList()
  try {
    return { value: read(errors), errors: errors.errors }
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    return { value: undefined, errors: error.errors }
  }
}

const checks = new WeakMap<TSchema, Check>()
const compiler = new SchemaCompiler((ref) => {
  throw new Error(`The schema of a document must not refer to ${ref}`)
})

/** Reads and checks a JSON document that is not the body of a request, with the same rules and messages. */
export const documents = {
  /** A value with what the database cannot store, such as U+0000, has errors. */
  parse(bytes: Buffer): { value: unknown; faults: ValidationError[] } {
    const { value, errors } = collect((list) => {
      const body = readJson(bytes, () => true)
      for (const violation of body.violations) addViolation(violation, list, [])
      return body.value
    })
    const faults = errors.map((error) => (error.type === 'json_invalid' ? { ...error, loc: [] } : error))
    return { value, faults }
  },

  /** The schema must be one that bodies may have, without references. */
  check(schema: TSchema, value: unknown): ValidationError[] {
    const check = checks.get(schema) ?? compiler.compile(schema, 'document')
    checks.set(schema, check)
    const errors = new ErrorList()
    check(value, [], errors)
    return errors.errors
  },
}
