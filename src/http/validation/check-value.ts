import { DECIMAL_PATTERN, isDecimal } from '../../contract/decimal.ts'
import { ETAGS_PATTERN } from '../../contract/etag.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { ErrorList, Loc } from './error-list.ts'
import { refuseUnknownNames } from './unknown-names.ts'

/** The part of JSON Schema that request schemas may use. `supported-schema.ts` rejects anything else at the start. */
export interface JsonSchema {
  $ref?: string
  anyOf?: JsonSchema[]
  type?: string | string[]
  enum?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: unknown
}

export type Resolve = (ref: string) => JsonSchema

/** Adds the errors of a value that Ajv rejected, in the order in which the schema declares its fields, with the
 * messages of pydantic. */
export function checkValue(
  schema: JsonSchema,
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  errors: ErrorList,
): void {
  if (errors.isFull) return
  if (schema.$ref) return checkValue(resolve(schema.$ref), value, loc, resolve, errors)
  if (schema.anyOf) return checkAlternatives(schema.anyOf, value, loc, resolve, errors)

  const types = [schema.type ?? []].flat()
  if (value === null && types.includes('null')) return
  if (schema.enum) return checkEnum(schema.enum, value, loc, errors)
  if (schema.pattern === DECIMAL_PATTERN) return checkDecimal(schema, value, loc, errors)
  if (types.includes('string')) return checkString(schema, value, loc, errors)
  if (types.includes('integer')) return checkInteger(schema, value, loc, errors)
  if (types.includes('number')) return checkNumber(schema, value, loc, errors)
  if (types.includes('boolean') && typeof value !== 'boolean') return errors.add(loc, 'bool_type')
  if (types.includes('array')) return checkArray(schema, value, loc, resolve, errors)
  if (types.includes('object')) return checkObject(schema, value, loc, resolve, errors)
}

/** Reports the errors of the first alternative other than null. */
function checkAlternatives(
  alternatives: JsonSchema[],
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  errors: ErrorList,
): void {
  const [first, ...others] = alternatives.filter((alternative) => alternative.type !== 'null')
  if (first === undefined || (value === null && others.length + 1 < alternatives.length)) return
  // An alternative without properties accepts any object (a skill has one).
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && others.some((other) => other.type === 'object' && !other.properties)) return
  checkValue(first, value, loc, resolve, errors)
}

function checkEnum(values: unknown[], value: unknown, loc: Loc, errors: ErrorList): void {
  if (values.includes(value)) return
  errors.add(loc, 'enum', values.filter((choice) => choice !== null) as string[])
}

function checkDecimal(schema: JsonSchema, value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value === 'string') {
    if (isTooLong(schema, value)) errors.add(loc, 'string_too_long', schema.maxLength)
    else if (!isDecimal(value)) errors.add(loc, 'decimal_parsing')
  } else if (typeof value !== 'number') {
    errors.add(loc, 'decimal_type')
  }
}

/** The pattern itself would explain little. */
const NOT_AN_ETAG =
  'this is not an ETag: send the ETag of a response, such as "7", a comma-separated list of ETags, or *'

function checkString(schema: JsonSchema, value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value !== 'string') {
    errors.add(loc, schema.format === 'uuid' ? 'uuid_type' : 'string_type')
  } else if (schema.format === 'uuid') {
    const parsed = parseUuid(value)
    if (!parsed.ok) errors.add(loc, 'uuid_parsing', parsed.error)
  } else if (schema.minLength !== undefined && countCharacters(value) < schema.minLength) {
    errors.add(loc, 'string_too_short', schema.minLength)
  } else if (isTooLong(schema, value)) {
    errors.add(loc, 'string_too_long', schema.maxLength)
  } else if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    if (schema.pattern === ETAGS_PATTERN) errors.add(loc, 'value_error', NOT_AN_ETAG)
    else errors.add(loc, 'string_pattern_mismatch', schema.pattern)
  }
}

function isTooLong<Schema extends JsonSchema>(
  schema: Schema,
  text: string,
): schema is Schema & { maxLength: number } {
  return schema.maxLength !== undefined && countCharacters(text) > schema.maxLength
}

/** Code points, as JSON Schema counts them. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

export function checkInteger(schema: JsonSchema, value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value !== 'number') errors.add(loc, 'int_type')
  // A literal such as 1e400 is parsed as infinity: it exceeds every bound.
  else if (Number.isFinite(value) && !Number.isInteger(value)) errors.add(loc, 'int_from_float')
  else checkBounds(schema, value, loc, errors)
}

function checkNumber(schema: JsonSchema, value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value !== 'number') errors.add(loc, 'float_type')
  else checkBounds(schema, value, loc, errors)
}

function checkBounds(schema: JsonSchema, value: number, loc: Loc, errors: ErrorList): void {
  if (schema.minimum !== undefined && value < schema.minimum) {
    errors.add(loc, 'greater_than_equal', schema.minimum)
  } else if (schema.maximum !== undefined && value > schema.maximum) {
    errors.add(loc, 'less_than_equal', schema.maximum)
  }
}

function checkArray(schema: JsonSchema, value: unknown, loc: Loc, resolve: Resolve, errors: ErrorList): void {
  if (!Array.isArray(value)) return errors.add(loc, 'list_type')
  if (!hasAllowedLength(schema, value, loc, errors) || !schema.items) return
  for (const [index, item] of value.entries()) {
    if (errors.isFull) return
    checkValue(schema.items, item, [...loc, index], resolve, errors)
  }
}

export function hasAllowedLength(
  schema: JsonSchema,
  { length }: unknown[],
  loc: Loc,
  errors: ErrorList,
): boolean {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (length < minItems) errors.add(loc, 'too_short', minItems, length)
  if (length > maxItems) errors.add(loc, 'too_long', maxItems, length)
  return length >= minItems && length <= maxItems
}

function checkObject(
  schema: JsonSchema,
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  errors: ErrorList,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return errors.add(loc, schema.properties ? 'model_attributes_type' : 'dict_type')
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(value, name)) {
      checkValue(property, (value as Record<string, unknown>)[name], [...loc, name], resolve, errors)
    } else if (schema.required?.includes(name)) {
      errors.add([...loc, name], 'missing')
    }
  }
  if (schema.additionalProperties === false) {
    refuseUnknownNames(loc, value, Object.keys(schema.properties ?? {}), errors)
  }
}
