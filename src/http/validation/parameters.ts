import { parseUuid } from '../../contract/uuid.ts'
import { checkInteger, checkValue, hasAllowedLength, type JsonSchema, type Resolve } from './check-value.ts'
import type { ErrorList } from './error-list.ts'

const BOOLEANS = new Map<string, boolean>([
  ...['true', '1', 'yes', 'on', 't', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 'f', 'n'].map((word) => [word, false] as const),
])

type Texts = Record<string, string | string[] | undefined>

/** Converts path, query and header values from text to the types of their schema. Ajv's coercion would accept
 * `0x10` as a number and reject `include_scores=1`. */
export function parseParameters(
  part: 'path' | 'query' | 'header',
  schema: JsonSchema,
  texts: Texts,
  resolve: Resolve,
  errors: ErrorList,
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = texts[name]
    if (given !== undefined) {
      parsed[name] = parseValue(property, given, [part, name], resolve, errors)
    } else if (schema.required?.includes(name)) {
      errors.add([part, name], 'missing')
    }
  }
  return parsed
}

function parseValue(
  schema: JsonSchema,
  given: string | string[],
  loc: (string | number)[],
  resolve: Resolve,
  errors: ErrorList,
): unknown {
  if (schema.type === 'array') {
    const items = [given].flat()
    if (!hasAllowedLength(schema, items, loc, errors)) return undefined
    return items.map((item, index) => parseValue(schema.items ?? {}, item, [...loc, index], resolve, errors))
  }
  // The last of several values counts, as in FastAPI.
  const text = Array.isArray(given) ? (given.at(-1) ?? '') : given
  switch (schema.type) {
    case 'boolean': {
      const value = BOOLEANS.get(text.toLowerCase())
      if (value === undefined) errors.add(loc, 'bool_parsing')
      return value
    }
    case 'integer':
      if (!/^[+-]?\d+$/.test(text)) return errors.add(loc, 'int_parsing')
      if (!Number.isSafeInteger(Number(text))) return errors.add(loc, 'int_parsing_size')
      checkInteger(schema, Number(text), loc, errors)
      return Number(text)
    case 'number':
      if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return errors.add(loc, 'float_parsing')
      if (!Number.isFinite(Number(text))) return errors.add(loc, 'finite_number')
      checkValue(schema, Number(text), loc, resolve, errors)
      return Number(text)
    default: {
      checkValue(schema, text, loc, resolve, errors)
      if (schema.format === 'uuid') {
        const parsed = parseUuid(text)
        return parsed.ok ? parsed.uuid : text
      }
      if (text.includes('\0')) errors.add(loc, 'value_error', 'text may not contain the character U+0000')
      return text
    }
  }
}
