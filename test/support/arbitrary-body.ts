import * as fc from 'fast-check'
import { AgentLifecycle } from '../../src/agent/lifecycle/lifecycle.ts'
import { AGENT_SCHEMAS } from '../../src/agent/schema.ts'
import { DECIMAL_PATTERN } from '../../src/api/fields.ts'
import type { JsonSchema } from '../../src/http/validation/check-value.ts'

const byRef = new Map(
  ([...AGENT_SCHEMAS, AgentLifecycle] as (JsonSchema & { $id?: string })[]).map((schema) => [
    `${schema.$id}#`,
    schema,
  ]),
)

export function resolveSchema(ref: string): JsonSchema {
  const schema = byRef.get(ref)
  if (!schema) throw new Error(`No schema ${ref}`)
  return schema
}

/** Anything JSON can say, with numbers and texts at the edges of what fields take. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e300, -0.5),
  fc.constantFrom(
    '',
    'x',
    'active',
    '5',
    '1.5',
    '.',
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    'a'.repeat(256),
  ),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.constantFrom([], {}, [[]], [{}], [null], [0], { id: 'a' }, { id: 'a', name: 'b' }, { id: 1, name: 2 }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Values a schema accepts, and now and then others, at every place of it. */
export function likely(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk })
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.$ref) return fitting(resolveSchema(schema.$ref))
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.pattern === DECIMAL_PATTERN)
    return fc.constantFrom(null, 0, 87, 0.5, -3, '1.5', '+.5', '1.', '0')
  const types = [schema.type ?? []].flat()
  const ofTypes = types.map((type) => ofType(type, schema))
  return fc.oneof(...ofTypes.map((arbitrary) => ({ weight: 1, arbitrary })))
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer': {
      const max = schema.format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -1_000, max: 1_000 }),
        fc.constantFrom(max, max + 1),
      )
    }
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'string':
      return schema.format === 'uuid' ? fc.uuid() : fc.oneof(fc.string({ maxLength: 5 }), edgeOf(schema))
    case 'array':
      return fc.array(likely(schema.items ?? {}), { maxLength: 3 })
    default:
      return anObject(schema)
  }
}

/** As many characters as fit, or one more; each of two code units, which is where counting goes wrong. */
function edgeOf({ maxLength = 3 }: JsonSchema): fc.Arbitrary<string> {
  const length = Math.min(maxLength, 300)
  return fc.constantFrom('😀'.repeat(length), '😀'.repeat(length + 1))
}

/** Most fields are left out, so that one fault does not hide another. */
function anObject({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<object> {
  const names = Object.keys(properties)
  const others = fc.dictionary(fc.constantFrom('zzz', 'constructor', '1'), junk)
  const some = fc.subarray(names, { maxLength: Math.min(4, names.length) })
  return fc.tuple(some, fc.integer({ min: 0, max: 9 })).chain(([chosen, luck]) => {
    const present = new Set([...chosen, ...(luck > 0 ? required : [])])
    const fields = [...present].map((name) => [name, likely(properties[name] ?? {})] as const)
    return fc
      .tuple(others, fc.record(Object.fromEntries(fields)))
      .map(([unknown, known]) => ({ ...unknown, ...known }))
  })
}
