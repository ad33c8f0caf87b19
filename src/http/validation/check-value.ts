import { DECIMAL_PATTERN, isDecimal } from '../../api/fields.ts'
import { ETAGS_PATTERN } from '../../api/headers.ts'
import { parseUuid } from '../../api/uuid.ts'
import { isObject } from '../../platform/json.ts'
import { type ErrorList, type Loc, refuseUnknownNames } from './error-list.ts'

/** The part of JSON Schema that the schemas of requests may use. */
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

/** Adds the errors of a value, in the order in which the schema declares its fields, with the messages of pydantic. */
export type Check = (value: unknown, loc: Loc, errors: ErrorList) => void

const KEYWORDS: Record<string, string[]> = {
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  integer: ['format', 'minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
  null: [],
}
const OF_ANY_TYPE = ['$id', '$ref', 'anyOf', 'type', 'enum', 'title', 'description', 'default', 'examples']

const CHECKS: Record<string, (schema: JsonSchema) => Check> = {
  string: stringCheck,
  integer: integerCheck,
  number: numberCheck,
  boolean: () => checkBoolean,
}

/** Turns schemas into functions. Throws for a keyword that it does not know: it would be ignored. */
export class SchemaCompiler {
  readonly resolve: Resolve
  readonly #byRef = new Map<string, Check | undefined>()

  constructor(resolve: Resolve) {
    this.resolve = resolve
  }

  /** `place`: names the schema in an error. */
  compile(schema: JsonSchema, place: string): Check {
    const types = [schema.type ?? []].flat()
    const [type, second] = types.filter((each) => each !== 'null')
    const known = [...OF_ANY_TYPE, ...types.flatMap((each) => KEYWORDS[each] ?? [])]
    for (const keyword of Object.keys(schema)) {
      if (!known.includes(keyword)) throw unsupported(place, keyword)
    }
    if (second !== undefined && schema.pattern !== DECIMAL_PATTERN) {
      throw unsupported(place, 'type with several types')
    }
    if (schema.$ref) return this.#compileRef(schema.$ref, place)
    if (schema.anyOf) return this.#compileAlternatives(schema.anyOf, place)
    const check = this.#compileType(schema, type, place)
    if (!types.includes('null')) return check
    return (value, loc, errors) => {
      if (value !== null) check(value, loc, errors)
    }
  }

  #compileRef(ref: string, place: string): Check {
    if (!this.#byRef.has(ref)) {
      // A schema may refer to itself.
      this.#byRef.set(ref, undefined)
      this.#byRef.set(ref, this.compile(this.resolve(ref), place))
    }
    return (value, loc, errors) => this.#byRef.get(ref)?.(value, loc, errors)
  }

  #compileType(schema: JsonSchema, type: string | undefined, place: string): Check {
    if (schema.enum) return enumCheck(schema.enum)
    if (schema.pattern === DECIMAL_PATTERN) return decimalCheck(schema)
    if (type === 'array') return this.#compileArray(schema, place)
    if (type === 'object') return this.#compileObject(schema, place)
    return CHECKS[type ?? '']?.(schema) ?? acceptAnything
  }

  /** Reports the errors of the first alternative other than null. */
  #compileAlternatives(alternatives: JsonSchema[], place: string): Check {
    const [first, ...others] = alternatives.filter(({ type }) => type !== 'null')
    if (others.some(({ type, properties }) => type !== 'object' || properties))
      throw unsupported(place, 'anyOf')
    if (first === undefined) return acceptAnything
    const check = this.compile(first, place)
    const mayBeNull = others.length + 1 < alternatives.length
    return (value, loc, errors) => {
      if (value === null && mayBeNull) return
      // An alternative without properties accepts any object (a skill has one).
      if (others.length > 0 && isObject(value)) return
      check(value, loc, errors)
    }
  }

  #compileArray(schema: JsonSchema, place: string): Check {
    const check = schema.items && this.compile(schema.items, `${place}[]`)
    return (value, loc, errors) => {
      if (!Array.isArray(value)) return errors.add(loc, 'list_type')
      if (!hasAllowedLength(schema, value, loc, errors) || !check) return
      for (const [index, item] of value.entries()) {
        if (errors.isFull) return
        check(item, [...loc, index], errors)
      }
    }
  }

  #compileObject(schema: JsonSchema, place: string): Check {
    const { properties, required = [], additionalProperties = true } = schema
    if (typeof additionalProperties !== 'boolean') {
      throw unsupported(place, 'additionalProperties with a schema')
    }
    const names = Object.keys(properties ?? {})
    const members = Object.entries(properties ?? {}).map(([name, property]) => ({
      name,
      check: this.compile(property, `${place}.${name}`),
      isRequired: required.includes(name),
    }))
    return (value, loc, errors) => {
      if (!isObject(value)) return errors.add(loc, properties ? 'model_attributes_type' : 'dict_type')
      for (const { name, check, isRequired } of members) {
        if (errors.isFull) return
        if (Object.hasOwn(value, name)) check(value[name], [...loc, name], errors)
        else if (isRequired) errors.add([...loc, name], 'missing')
      }
      if (!additionalProperties) refuseUnknownNames(loc, value, names, errors)
    }
  }
}

export function unsupported(place: string, keyword: string): Error {
  return new Error(`${place}: src/http/validation/check-value.ts does not support ${keyword}`)
}

export function hasAllowedLength(
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: JsonSchema,
  { length }: unknown[],
  loc: Loc,
  errors: ErrorList,
): boolean {
  if (length < minItems) errors.add(loc, 'too_short', minItems, length)
  if (length > maxItems) errors.add(loc, 'too_long', maxItems, length)
  return length >= minItems && length <= maxItems
}

function acceptAnything(): void {}

function enumCheck(values: unknown[]): Check {
  const choices = values.filter((choice) => choice !== null) as string[]
  return (value, loc, errors) => {
    if (!values.includes(value)) errors.add(loc, 'enum', choices)
  }
}

function decimalCheck({ maxLength = Number.POSITIVE_INFINITY }: JsonSchema): Check {
  return (value, loc, errors) => {
    if (typeof value === 'string') {
      if (isTooLong(value, maxLength)) errors.add(loc, 'string_too_long', maxLength)
      else if (!isDecimal(value)) errors.add(loc, 'decimal_parsing')
    } else if (typeof value !== 'number') {
      errors.add(loc, 'decimal_type')
    }
  }
}

/** The pattern itself would explain little. */
const NOT_AN_ETAG =
  'this is not an ETag: send the ETag of a response, such as "7", a comma-separated list of ETags, or *'

function stringCheck({
  format,
  pattern,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: JsonSchema): Check {
  if (format === 'uuid') return checkUuid
  const regExp = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (value, loc, errors) => {
    if (typeof value !== 'string') errors.add(loc, 'string_type')
    else if (minLength > 0 && countCharacters(value) < minLength)
      errors.add(loc, 'string_too_short', minLength)
    else if (isTooLong(value, maxLength)) errors.add(loc, 'string_too_long', maxLength)
    else if (regExp && !regExp.test(value)) {
      if (pattern === ETAGS_PATTERN) errors.add(loc, 'value_error', NOT_AN_ETAG)
      else errors.add(loc, 'string_pattern_mismatch', regExp.source)
    }
  }
}

function checkUuid(value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value !== 'string') return errors.add(loc, 'uuid_type')
  const parsed = parseUuid(value)
  if (!parsed.ok) errors.add(loc, 'uuid_parsing', parsed.error)
}

function isTooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && countCharacters(text) > maxLength
}

/** Code points, as JSON Schema counts them. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function integerCheck(schema: JsonSchema): Check {
  return (value, loc, errors) => {
    if (typeof value !== 'number') errors.add(loc, 'int_type')
    // A literal such as 1e400 is parsed as infinity: it exceeds every bound.
    else if (Number.isFinite(value) && !Number.isInteger(value)) errors.add(loc, 'int_from_float')
    else checkBounds(schema, value, loc, errors)
  }
}

function numberCheck(schema: JsonSchema): Check {
  return (value, loc, errors) => {
    if (typeof value !== 'number') errors.add(loc, 'float_type')
    else checkBounds(schema, value, loc, errors)
  }
}

function checkBounds({ minimum, maximum }: JsonSchema, value: number, loc: Loc, errors: ErrorList): void {
  if (minimum !== undefined && value < minimum) errors.add(loc, 'greater_than_equal', minimum)
  else if (maximum !== undefined && value > maximum) errors.add(loc, 'less_than_equal', maximum)
}

function checkBoolean(value: unknown, loc: Loc, errors: ErrorList): void {
  if (typeof value !== 'boolean') errors.add(loc, 'bool_type')
}
