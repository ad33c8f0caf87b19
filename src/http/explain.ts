import { DECIMAL_PATTERN, isDecimal } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import type { FaultList, Loc } from './faults.ts'

/** The JSON Schema the contract is written in. */
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
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: unknown
}

export type Resolve = (ref: string) => JsonSchema

/** Says what is wrong with a value that the compiled validator refused: the same schema, read slowly, in
 * the words clients know. Reports in the order the schema declares. */
export function explain(
  schema: JsonSchema,
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  faults: FaultList,
): void {
  if (faults.isFull) return
  if (schema.$ref) return explain(resolve(schema.$ref), value, loc, resolve, faults)
  if (schema.anyOf) return explainAlternatives(schema.anyOf, value, loc, resolve, faults)

  const types = [schema.type ?? []].flat()
  if (value === null && types.includes('null')) return
  if (schema.enum) return explainEnum(schema.enum, value, loc, faults)
  if (schema.pattern === DECIMAL_PATTERN) return explainDecimal(value, loc, faults)
  if (types.includes('string')) return explainString(schema, value, loc, faults)
  if (types.includes('integer')) return explainInteger(schema, value, loc, faults)
  if (types.includes('number') && typeof value !== 'number') return faults.add(loc, 'float_type')
  if (types.includes('boolean') && typeof value !== 'boolean') return faults.add(loc, 'bool_type')
  if (types.includes('array')) return explainArray(schema, value, loc, resolve, faults)
  if (types.includes('object')) return explainObject(schema, value, loc, resolve, faults)
}

/** A value is explained by the first alternative that is more than null. */
function explainAlternatives(
  alternatives: JsonSchema[],
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  faults: FaultList,
): void {
  const [first, ...others] = alternatives.filter((alternative) => alternative.type !== 'null')
  if (first === undefined || (value === null && others.length + 1 < alternatives.length)) return
  // The open alternative of a skill takes any object: then nothing is wrong with it.
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && others.some((other) => other.type === 'object' && !other.properties)) return
  explain(first, value, loc, resolve, faults)
}

function explainEnum(values: unknown[], value: unknown, loc: Loc, faults: FaultList): void {
  if (values.includes(value)) return
  faults.add(loc, 'enum', values.filter((choice) => choice !== null) as string[])
}

function explainDecimal(value: unknown, loc: Loc, faults: FaultList): void {
  if (typeof value === 'string') {
    if (!isDecimal(value)) faults.add(loc, 'decimal_parsing')
  } else if (typeof value !== 'number') {
    faults.add(loc, 'decimal_type')
  }
}

function explainString(schema: JsonSchema, value: unknown, loc: Loc, faults: FaultList): void {
  if (typeof value !== 'string') {
    faults.add(loc, schema.format === 'uuid' ? 'uuid_type' : 'string_type')
  } else if (schema.format === 'uuid') {
    const parsed = parseUuid(value)
    if (!parsed.ok) faults.add(loc, 'uuid_parsing', parsed.error)
  } else if (schema.minLength !== undefined && characters(value) < schema.minLength) {
    faults.add(loc, 'string_too_short', schema.minLength)
  } else if (schema.maxLength !== undefined && characters(value) > schema.maxLength) {
    faults.add(loc, 'string_too_long', schema.maxLength)
  } else if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    faults.add(loc, 'string_pattern_mismatch', schema.pattern)
  }
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The largest integer of each format that is stored and returned without a change. */
export const INTEGER_LIMITS: Record<string, number> = {
  int32: 2_147_483_647,
  int64: Number.MAX_SAFE_INTEGER,
}

export function explainInteger(schema: JsonSchema, value: unknown, loc: Loc, faults: FaultList): void {
  const limit = INTEGER_LIMITS[schema.format ?? 'int64'] ?? Number.MAX_SAFE_INTEGER
  if (typeof value !== 'number') faults.add(loc, 'int_type')
  else if (Math.abs(value) > limit) faults.add(loc, 'int_parsing_size')
  else if (!Number.isInteger(value)) faults.add(loc, 'int_from_float')
  else if (schema.minimum !== undefined && value < schema.minimum) {
    faults.add(loc, 'greater_than_equal', schema.minimum)
  } else if (schema.maximum !== undefined && value > schema.maximum) {
    faults.add(loc, 'less_than_equal', schema.maximum)
  }
}

function explainArray(
  schema: JsonSchema,
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  faults: FaultList,
): void {
  if (!Array.isArray(value)) return faults.add(loc, 'list_type')
  if (!schema.items) return
  for (const [index, item] of value.entries()) {
    if (faults.isFull) return
    explain(schema.items, item, [...loc, index], resolve, faults)
  }
}

function explainObject(
  schema: JsonSchema,
  value: unknown,
  loc: Loc,
  resolve: Resolve,
  faults: FaultList,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return faults.add(loc, schema.properties ? 'model_attributes_type' : 'dict_type')
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(value, name)) {
      explain(property, (value as Record<string, unknown>)[name], [...loc, name], resolve, faults)
    } else if (schema.required?.includes(name)) {
      faults.add([...loc, name], 'missing')
    }
  }
}
