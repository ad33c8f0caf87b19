import { DECIMAL_MAX_LENGTH, DECIMAL_PATTERN, plainDecimal } from '../../contract/decimal.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { RawBody } from '../raw-body.ts'
import { checkValue, type JsonSchema, type Resolve } from './check-value.ts'
import { ErrorList } from './error-list.ts'
import { isExactNumber } from './json-number.ts'
import type { Violation } from './json-scanner.ts'
import { type JsonBody, parseJsonBody } from './parse-json.ts'

const TOO_MANY_DIGITS = `this number has more than ${DECIMAL_MAX_LENGTH} characters in plain notation`

const NOT_JSON = '. The Content-Type of the body is not JSON: send the header Content-Type: application/json'

type Fields = Record<string, JsonSchema>

/** Validates a body and returns the value for the handler. Nothing is coerced, defaulted or removed. */
export function validateBody(
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
  raw: RawBody | undefined,
  resolve: Resolve,
  errors: ErrorList,
): unknown {
  const fields = schema.properties ?? {}
  if (raw && !raw.isJson) {
    return errors.add(['body'], schema.properties ? 'model_attributes_type' : 'dict_type', NOT_JSON)
  }
  const bodyErrors = new ErrorList()
  const value = raw && readJson(raw.bytes, schema, bodyErrors)
  // Clients that serialise an absent object send `null`.
  if (value === undefined || value === null) {
    errors.add(['body'], 'missing')
    return undefined
  }
  if (!isValid(value)) {
    checkValue(schema, value, ['body'], resolve, bodyErrors)
    if (bodyErrors.errors.length === 0)
      throw new Error('Ajv rejected a body in which checkValue finds no error')
  }
  normaliseUuids(fields, value)
  for (const error of inFieldOrder(bodyErrors, Object.keys(fields))) errors.append(error)
  return value
}

/** Parses JSON and adds the errors that only its text shows, such as a number with too many digits. Throws if it is no JSON. */
export function readJson(bytes: Buffer, schema: JsonSchema, errors: ErrorList): unknown {
  const fields = schema.properties ?? {}
  const { value, violations, numbers } = parse(bytes, schema)
  for (const violation of violations) addViolation(violation, errors)
  for (const [name, literal] of numbers) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value !== null) checkTopLevelNumber(name, literal, value as Record<string, unknown>, field, errors)
  }
  return value
}

/** Only the members that the schema knows are scanned for violations: unknown members are ignored. */
function parse(bytes: Buffer, schema: JsonSchema): JsonBody {
  // An open body is stored with all its members, so all of them are scanned.
  if (schema.properties && schema.additionalProperties === true) return parseJsonBody(bytes, () => true)
  const names = new Set(Object.keys(schema.properties ?? {}))
  // `__proto__` is always scanned: copying it would change the prototype.
  if (names.size > 0) names.add('__proto__')
  return parseJsonBody(bytes, (name) => names.has(name))
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

/** A decimal keeps every digit of the literal. An integer must have no fraction, and a number or an undeclared
 * member must be exact as a double. `checkValue` reports any other type. */
function checkTopLevelNumber(
  name: string,
  literal: string,
  body: Record<string, unknown>,
  schema: JsonSchema | undefined,
  errors: ErrorList,
): void {
  // If a name occurs twice, JSON.parse keeps the last value, which may not be a number.
  if (typeof body[name] !== 'number') return
  const types = [schema?.type ?? 'number'].flat()
  if (schema?.pattern === DECIMAL_PATTERN) {
    const plain = plainDecimal(literal)
    if (plain !== null) body[name] = plain
    else errors.add(['body', name], 'value_error', TOO_MANY_DIGITS)
  } else if (types.includes('integer') && !isExactNumber(literal)) {
    if (Number.isSafeInteger(body[name])) errors.add(['body', name], 'int_from_float')
  } else if (types.includes('number') && !isExactNumber(literal)) {
    addViolation({ kind: 'inexact_number', path: [name], literal }, errors)
  }
}

function normaliseUuids(fields: Fields, value: unknown): void {
  for (const [name, { format }] of Object.entries(fields)) {
    if (format !== 'uuid') continue
    const body = value as Record<string, unknown>
    const text = body?.[name]
    const parsed = typeof text === 'string' ? parseUuid(text) : undefined
    if (parsed?.ok) body[name] = parsed.uuid
  }
}

/** At most one error for each location, in the order in which the schema declares its fields. */
function inFieldOrder({ errors }: ErrorList, order: string[]) {
  const byLocation = new Map(errors.map((error) => [JSON.stringify(error.loc), error]))
  return [...byLocation.values()].toSorted(
    (a, b) => order.indexOf(String(a.loc[1])) - order.indexOf(String(b.loc[1])),
  )
}
