import { UsageError } from '../failure.ts'
import { didYouMean, nearest } from '../grammar/nearest.ts'
import schema from './agent-schema.json' with { type: 'json' }

interface FieldSchema {
  type?: string | string[]
  anyOf?: object[]
  description?: string
}

const { properties } = schema as { properties: Record<string, FieldSchema> }

/** Fields that only a creation sets. */
const ORIGIN = ['import_metadata', 'capabilities', 'skills']

export const EDITABLE_FIELDS: readonly string[] = Object.keys(properties).filter(
  (name) => !ORIGIN.includes(name),
)

export function checkField(name: string): void {
  if (EDITABLE_FIELDS.includes(name)) return
  const hint =
    name === 'trust_stage' ? ' Use: agent-console agents stage' : didYouMean(nearest(name, EDITABLE_FIELDS))
  throw new UsageError(
    `${name} is not a field that can be set.${hint} See: agent-console schema agent -o table`,
  )
}

/** The JSON types that a field takes. An object if it takes none by name. */
export function typesOf(name: string): string[] {
  const { type, anyOf } = properties[name] ?? {}
  return type === undefined ? (anyOf ? ['object', 'null'] : ['object']) : [type].flat()
}

export const isText = (name: string): boolean => typesOf(name).includes('string')
