import { DECIMAL_MAX_LENGTH, DECIMAL_PATTERN, plainDecimal } from '../../contract/decimal.ts'
import { parseUuid } from '../../contract/uuid.ts'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import { isExactNumber, type JsonBody, parseExactJson, type Violation } from '../../platform/json/exact.ts'
import type { RawBody } from '../raw-body.ts'
import type { Check, JsonSchema, SchemaCompiler } from './check-value.ts'
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

  /** Parses JSON and adds the errors that only its text shows, such as a number with too many digits. Throws if it is no JSON. */
  parse(bytes: Buffer, errors: ErrorList): unknown {
    const { value, violations, numbers } = readJson(bytes, this.#isKnown)
    for (const violation of violations) addViolation(violation, errors)
    for (const [name, literal] of numbers) {
      this.#checkNumber(name, literal, value as Record<string, unknown>, errors)
    }
    return value
  }

  /** A decimal keeps every digit of the literal. An integer must have no fraction, and a number or an undeclared member must be
   * exact as a double. `#check` reports any other type. */
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
export function readJson(bytes: Buffer, isKnown: (name: string) => boolean): JsonBody {
  const read = parseExactJson(bytes, isKnown)
  if (!('errorAt' in read)) return read
  const error = { loc: ['body', read.errorAt], msg: 'JSON decode error', type: 'json_invalid' }
  throw new RequestValidationError([error])
}

/** `start`: where the value is. */
export function addViolation(
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
