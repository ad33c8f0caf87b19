import { parseUuid } from '../contract/uuid.ts'
import { explain, explainInteger, type JsonSchema, type Resolve } from './explain.ts'
import type { FaultList } from './faults.ts'

/** Path, query and header values are text: this turns them into what their schema declares, explicitly. A general
 * coercion would take `0x10` for a number and refuse `include_scores=1`. */

const BOOLEANS = new Map<string, boolean>([
  ...['true', '1', 'yes', 'on', 't', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 'f', 'n'].map((word) => [word, false] as const),
])

type Texts = Record<string, string | string[] | undefined>

export function convertTexts(
  part: 'path' | 'query' | 'header',
  schema: JsonSchema,
  texts: Texts,
  resolve: Resolve,
  faults: FaultList,
): Record<string, unknown> {
  const converted: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = texts[name]
    if (given !== undefined) {
      converted[name] = convert(property, given, [part, name], resolve, faults)
    } else if (schema.required?.includes(name)) {
      faults.add([part, name], 'missing')
    }
  }
  return converted
}

function convert(
  schema: JsonSchema,
  given: string | string[],
  loc: (string | number)[],
  resolve: Resolve,
  faults: FaultList,
): unknown {
  if (schema.type === 'array') {
    const items = [given].flat()
    const most = schema.maxItems ?? Number.POSITIVE_INFINITY
    if (items.length > most) return faults.add(loc, 'too_long', most, items.length)
    return items.map((item, index) => convert(schema.items ?? {}, item, [...loc, index], resolve, faults))
  }
  // A parameter given twice where one is expected: the last one counts, as in a form.
  const text = Array.isArray(given) ? (given.at(-1) ?? '') : given
  switch (schema.type) {
    case 'boolean': {
      const value = BOOLEANS.get(text.toLowerCase())
      if (value === undefined) faults.add(loc, 'bool_parsing')
      return value
    }
    case 'integer':
      if (!/^[+-]?\d+$/.test(text)) return faults.add(loc, 'int_parsing')
      explainInteger(schema, Number(text), loc, faults)
      return Number(text)
    default: {
      explain(schema, text, loc, resolve, faults)
      if (schema.format === 'uuid') {
        const parsed = parseUuid(text)
        return parsed.ok ? parsed.uuid : text
      }
      if (text.includes('\0')) faults.add(loc, 'value_error', 'text may not contain the character U+0000')
      return text
    }
  }
}
