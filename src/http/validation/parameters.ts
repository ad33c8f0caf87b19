import { parseUuid } from '../../api/uuid.ts'
import { hasAllowedLength, type JsonSchema, type SchemaCompiler, unsupported } from './check-value.ts'
import type { ErrorList, Loc } from './error-list.ts'

const TRUE = ['true', '1', 'yes', 'on', 't', 'y']
const FALSE = ['false', '0', 'no', 'off', 'f', 'n']

type Texts = Record<string, string | string[] | undefined>
type ReadParameters = (texts: Texts, errors: ErrorList) => Record<string, unknown>
type ReadText = (given: string | string[], loc: Loc, errors: ErrorList) => unknown

/** Returns a function that converts path, query or header values from text to the types of their schema. */
export function compileParameters(
  part: 'path' | 'query' | 'header',
  { properties, required = [] }: JsonSchema,
  compiler: SchemaCompiler,
): ReadParameters {
  const parameters = Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    loc: [part, name],
    read: compileText(schema, `${part} parameter ${name}`, compiler),
    isRequired: required.includes(name),
  }))
  return (texts, errors) => {
    const parsed: Record<string, unknown> = {}
    for (const { name, loc, read, isRequired } of parameters) {
      const given = texts[name]
      if (given !== undefined) parsed[name] = read(given, loc, errors)
      else if (isRequired) errors.add(loc, 'missing')
    }
    return parsed
  }
}

function compileText(schema: JsonSchema, place: string, compiler: SchemaCompiler): ReadText {
  if (schema.type === 'array') {
    const readItem = compileText(schema.items ?? {}, place, compiler)
    return (given, loc, errors) => {
      const items = [given].flat()
      if (!hasAllowedLength(schema, items, loc, errors)) return undefined
      return items.map((item, index) => readItem(item, [...loc, index], errors))
    }
  }
  const check = compiler.compile(schema, place)
  const toValue = CONVERSIONS[String(schema.type)]
  if (!toValue) throw unsupported(place, `type ${String(schema.type)}`)
  return (given, loc, errors) => {
    // The last of several values counts, as in FastAPI.
    const text = Array.isArray(given) ? (given.at(-1) ?? '') : given
    const value = toValue(text, loc, errors)
    if (value === undefined) return undefined
    check(value, loc, errors)
    if (schema.format === 'uuid') return normaliseUuid(text)
    if (value === text && text.includes('\0')) {
      errors.add(loc, 'value_error', 'text may not contain the character U+0000')
    }
    return value
  }
}

/** Undefined with an error for a text that is no value of the type. */
const CONVERSIONS: Record<string, (text: string, loc: Loc, errors: ErrorList) => unknown> = {
  boolean(text, loc, errors) {
    const word = text.toLowerCase()
    if (TRUE.includes(word)) return true
    if (FALSE.includes(word)) return false
    return errors.add(loc, 'bool_parsing')
  },
  integer(text, loc, errors) {
    if (!/^[+-]?\d+$/.test(text)) return errors.add(loc, 'int_parsing')
    if (!Number.isSafeInteger(Number(text))) return errors.add(loc, 'int_parsing_size')
    return Number(text)
  },
  number(text, loc, errors) {
    if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return errors.add(loc, 'float_parsing')
    if (!Number.isFinite(Number(text))) return errors.add(loc, 'finite_number')
    return Number(text)
  },
  string: (text) => text,
}

function normaliseUuid(text: string): string {
  const parsed = parseUuid(text)
  return parsed.ok ? parsed.uuid : text
}
