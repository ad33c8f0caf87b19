import type { Path } from './documents.ts'

/** The keywords of JSON Schema that the schema of an agent has. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: (string | null)[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  description?: string
}

export interface ValueFault {
  path: Path
  message: string
}

const TYPES: Record<string, string> = {
  ...{ string: 'text', integer: 'a whole number', number: 'a number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object', null: 'null' },
}
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/** Checks a value. A full validator would take a third of the size of the program. */
export function checkValue(
  value: unknown,
  schema: Schema,
  path: Path,
  definitions: Record<string, Schema>,
): ValueFault[] {
  const { $ref: ref, anyOf } = schema
  if (ref !== undefined) {
    return checkValue(value, definitions[ref.slice('#/$defs/'.length)] ?? {}, path, definitions)
  }
  if (anyOf) return checkAnyOf(value, anyOf, path, definitions)
  const fault = faultOf(value, schema)
  if (fault !== undefined) return [{ path, message: fault }]
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, index) => checkValue(item, items, [...path, index], definitions)) : []
  }
  if (typeof value !== 'object' || value === null) return []
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => ({ path, message: `needs ${name}` })),
    ...Object.entries(value).flatMap(([name, member]) => {
      const { properties = {} } = schema
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      return known ? checkValue(member, known, [...path, name], definitions) : []
    }),
  ]
}

/** The last choice is the most general one: its faults are the ones to report. */
function checkAnyOf(value: unknown, choices: Schema[], path: Path, definitions: Record<string, Schema>) {
  const typed = choices.filter(({ type }) => type !== 'null')
  if (value === null && typed.length < choices.length) return []
  const faults = typed.map((choice) => checkValue(value, choice, path, definitions))
  return faults.some((found) => found.length === 0) ? [] : (faults.at(-1) ?? [])
}

function faultOf(value: unknown, schema: Schema): string | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return wrongType(value, types)
  const { enum: choices } = schema
  if (choices && value !== null && !choices.includes(value as string)) {
    return `must be one of ${choices.filter((choice) => choice !== null).join(', ')}`
  }
  return typeof value === 'string' ? textFault(value, schema) : numberFault(value, schema)
}

function textFault(text: string, { maxLength, pattern, format }: Schema): string | undefined {
  // Characters, not units of UTF-16.
  if (maxLength !== undefined && text.length > maxLength && Array.from(text).length > maxLength) {
    return `is longer than ${maxLength.toLocaleString('en-US')} characters`
  }
  if (format === 'uuid' && !UUID.test(text)) return 'must be a UUID'
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return 'does not have the right form'
  return undefined
}

function numberFault(value: unknown, { minimum, maximum }: Schema): string | undefined {
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  return undefined
}

function wrongType(value: unknown, types: string[]): string {
  const names = types.map((type) => TYPES[type] ?? type)
  const given = TYPES[typeOf(value)] ?? typeOf(value)
  const isUnquoted = types.includes('string') && ['number', 'boolean'].includes(typeof value)
  return `must be ${names.join(' or ')}, not ${given}${isUnquoted ? ': put it in quotes' : ''}`
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

function isOfType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

/** The same without null. */
export function withoutNull({ type, enum: choices, anyOf, ...rest }: Schema): Schema {
  const types = [type ?? []].flat().filter((each) => each !== 'null')
  return {
    ...rest,
    ...(types.length > 0 && { type: types }),
    ...(choices && { enum: choices.filter((each) => each !== null) }),
    ...(anyOf && { anyOf: anyOf.filter((each) => each.type !== 'null') }),
  }
}
