import assert from 'node:assert/strict'
import { isNeverNull, SETTABLE_FIELDS } from '../../src/agent/fields.ts'

/** Null, zero, empty, fractions, and what a schema does not name: a serialiser may change them. */
export const OPEN_VALUE = {
  unknown: { deep: [null, 0, '', false, {}, []] },
  'ключ 😀': 'é\u2028"\\\n',
  1: 'integer-like',
}

/** What no schema says: the values of objects and decimal numbers. */
const VALUES: Record<string, unknown[]> = {
  agent_params: [
    {},
    { temperature: 0, top_p: 0.1, max_tokens: 0, timeout: -1 },
    { temperature: 1.7, top_p: 1e-7, max_tokens: null, rag_params: null },
    { temperature: 1e300, rag_params: {}, function_route_params: { a: [1.5, null, ''], ...OPEN_VALUE } },
    OPEN_VALUE,
  ],
  mcp_config: [
    {},
    { proxy_url: '', access_level: null, server_urls: [] },
    { access_level: 'admin', server_urls: ['', 'é'], ...OPEN_VALUE },
  ],
  delegated_agents: [
    [],
    [{}],
    [{ url: '', agent_card_url: null, name: 'A', capabilities: ['search', ''] }, OPEN_VALUE],
  ],
  white_box_config: [
    {},
    {
      ...{ source_code: '', repo_url: null, github_token: null, repo_branch: 'main', entry_point: 'é' },
      ...OPEN_VALUE,
    },
  ],
  agent_metadata: [{}, { role: '', tags: [], version: null }, { tags: ['a', ''], ...OPEN_VALUE }],
  test_score: ['0', '1.50', '-0.25', '12345678901234567890.123456789'],
}

interface Schema {
  type?: unknown
  format?: string
  enum?: unknown[]
  items?: { type?: unknown; maxLength?: number }
  minimum?: number
  maximum?: number
  maxLength?: number
}

export type SettableField = keyof typeof SETTABLE_FIELDS

/** Every field of an update but the secret. */
export const FIELD_NAMES = Object.keys(SETTABLE_FIELDS).filter(
  (name) => name !== 'api_key',
) as SettableField[]

/** Valid values of a field: null if it may be null, an empty one, usual ones and the largest one. */
export function valuesOf(name: SettableField): unknown[] {
  const field = SETTABLE_FIELDS[name]
  const values = VALUES[name] ?? valuesOfSchema(field.schema as Schema)
  assert.ok(values, `Add values of ${name} to VALUES in test/support/field-values.ts.`)
  return isNeverNull(field) ? values : [null, ...values]
}

/** A value that no new agent has. */
export const otherValueOf = (name: SettableField): unknown => valuesOf(name).at(-1)

function valuesOfSchema(schema: Schema): unknown[] | undefined {
  const { type, minimum = 0, maximum = 0, maxLength = 0, items } = schema
  if (schema.enum) return schema.enum
  if (type === 'boolean') return [false, true]
  if (type === 'integer') {
    return [minimum, -1, 0, 1, 1_712_505_600, maximum].filter((value) => value >= minimum && value <= maximum)
  }
  if (type === 'string' && schema.format === 'uuid') {
    return ['00000000-0000-0000-0000-000000000000', '3fa85f64-5717-4562-b3fc-2c963f66afa6']
  }
  if (type === 'string') return texts(maxLength)
  return type === 'array' && items?.type === 'string' ? [[], texts(items.maxLength ?? 0)] : undefined
}

const texts = (maxLength: number) => [
  ...['', 'é😀', 'модель', '"quoted" \\ \n\t\u007f', 'https://agents.example/a?b=c#d'],
  '😀'.repeat(Math.min(maxLength, 70_000)),
  'x'.repeat(maxLength),
]
