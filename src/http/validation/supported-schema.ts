import { DECIMAL_PATTERN } from '../../contract/decimal.ts'
import type { JsonSchema, Resolve } from './check-value.ts'

/** The keywords that `checkValue` reports errors for, by type. */
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

/** Throws if a body schema has a keyword that `checkValue` does not support. Ajv would reject a value for which
 * `checkValue` has no message, and the response would be 500 in place of 422. */
export function requireSupportedBody(
  schema: JsonSchema,
  resolve: Resolve,
  place = 'body',
  seen = new Set<string>(),
): void {
  const visit = (child: JsonSchema, name: string) => requireSupportedBody(child, resolve, name, seen)
  const types = [schema.type ?? []].flat()
  const known = [...OF_ANY_TYPE, ...types.flatMap((type) => KEYWORDS[type] ?? [])]
  for (const keyword of Object.keys(schema)) {
    if (!known.includes(keyword)) throw unsupported(place, keyword)
  }
  if (types.filter((type) => type !== 'null').length > 1 && schema.pattern !== DECIMAL_PATTERN) {
    throw unsupported(place, 'type with several types')
  }
  if (typeof (schema.additionalProperties ?? true) !== 'boolean') {
    throw unsupported(place, 'additionalProperties with a schema')
  }
  const [first, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  // The messages are those of the first alternative.
  if (others.some(({ type, properties }) => type !== 'object' || properties))
    throw unsupported(place, 'anyOf')
  if (first) visit(first, place)
  if (schema.items) visit(schema.items, `${place}[]`)
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${place}.${name}`)
  if (schema.$ref && !seen.has(schema.$ref)) {
    seen.add(schema.$ref)
    visit(resolve(schema.$ref), place)
  }
}

const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array']

/** Throws if `parseParameters` does not support the schema of a path, query or header parameter. */
export function requireSupportedParameters(part: string, schema: JsonSchema, resolve: Resolve): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const place = `${part} parameter ${name}`
    requireSupportedBody(property, resolve, place)
    const type = String(property.type)
    if (!PARAMETER_TYPES.includes(type)) throw unsupported(place, `type ${type}`)
  }
}

function unsupported(place: string, keyword: string): Error {
  return new Error(`${place}: src/http/validation/check-value.ts does not support ${keyword}`)
}
