import {
  fromJsonSchema,
  type JsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { type TSchema, Type } from 'typebox'
import { ORIGIN_SCHEMAS, SETTABLE_SCHEMAS } from '../../agent/fields.ts'
import { AGENT_SCHEMAS, Agent } from '../../agent/schema.ts'
import { DECIMAL_PATTERN } from '../../api/fields.ts'
import { MAX_REASON_LENGTH } from '../../api/headers.ts'

/** The schemas of tools. A model reads them with every conversation, so they are short; hosts differ in what they
 * support, so no schema has a reference, a list of types or a null. */

interface Schema {
  $id?: string
  $ref?: string
  type?: string
  items?: Schema
  description?: string
  properties?: object
  pattern?: string
  minimum?: number
  maximum?: number
  default?: unknown
  format?: string
  [keyword: string]: unknown
}

/** A short form of the schema of a field. The console also validates the value with the schema itself. */
export function briefSchema(schema: TSchema): TSchema {
  return brief(schema as Schema)
}

function brief(schema: Schema): Schema {
  const { $ref, items, description, pattern, minimum, maximum, format, default: _, ...rest } = schema
  if ($ref !== undefined) return briefObject($ref)
  const text = description === undefined ? {} : { description: firstSentence(description) }
  // As text: a JSON number may lose digits on its way. The published pattern takes cubic time.
  if (pattern === DECIMAL_PATTERN) return { type: 'string', ...text }
  return {
    ...rest,
    ...(items && { items: brief(items) }),
    ...(pattern !== undefined && { pattern }),
    ...(format === 'uuid' && { format }),
    ...(isUsefulBound(minimum) && { minimum }),
    ...(isUsefulBound(maximum) && { maximum }),
    ...text,
  }
}

function briefObject(reference: string): Schema {
  const schemas: object[] = AGENT_SCHEMAS
  const found = (schemas as Schema[]).find(({ $id }) => `${$id}#` === reference)
  if (!found) throw new Error(`No schema ${reference} among those of agents`)
  const names = Object.keys(found.properties ?? {})
  return { type: 'object', ...(names.length > 0 && { description: `Members: ${names.join(', ')}.` }) }
}

const isUsefulBound = (bound: number | undefined) =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** Limits that the console checks, and that no model needs to know before it reaches one. */
const NOT_LISTED = ['minimum', 'minLength', 'maxLength', 'maxItems', 'pattern']

function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !NOT_LISTED.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutLimits(value)]))
}

/** A schema as the SDK lists it. The SDK validates nothing with it: its errors would not name the request, and an
 * error after a change would hide the change. */
export function listedSchema(schema: TSchema): StandardSchemaWithJSON<unknown, unknown> {
  return fromJsonSchema(withoutLimits(schema) as object, {
    getValidator:
      <Value>(): JsonSchemaValidator<Value> =>
      (input) => ({ valid: true, data: input as Value, errorMessage: undefined }),
  })
}

/** The members that several tools share. */

/** The id of an agent. */
export const Id = Type.String({ format: 'uuid' })

export const Revision = (description: string) => Type.Integer({ minimum: 1, description })

export const CurrentRevision = Revision('The current revision, from get_agent or search_agents.')

export const Cursor = Type.Optional(
  Type.String({ maxLength: 4_096, description: 'next_cursor of the previous page.' }),
)

export const Limit = (maximum: number, standard: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `Default: ${standard}.` }))

export const Reason = Type.Optional(
  Type.String({ maxLength: MAX_REASON_LENGTH, description: 'Why; the history shows it.' }),
)

export const RequestId = Type.String()

export const NextCursor = Type.Optional(Type.String())

export const FieldNames = Type.Array(Type.String())

/** An object without unknown members: a misspelt argument must not be ignored. */
export const Input = <Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

/** Fields that no tool sets: they are secrets, or replacing them would replace a secret. */
const HOLDS_SECRET = ['api_key', 'white_box_config']

/** Without descriptions: the names say enough. */
const briefFields = (fields: Record<string, TSchema>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      Type.Optional(briefSchema({ ...schema, description: undefined })),
    ]),
  )

/** The fields that an update may set. */
export const UPDATE_FIELDS = briefFields(
  Object.fromEntries(Object.entries(SETTABLE_SCHEMAS).filter(([name]) => !HOLDS_SECRET.includes(name))),
)

/** The fields of a new agent that an update cannot set. */
export const ORIGIN_FIELDS = briefFields({
  capabilities: ORIGIN_SCHEMAS.capabilities,
  skills: ORIGIN_SCHEMAS.skills,
})

/** The fields that an update may clear. */
export const CLEARABLE = Object.keys(UPDATE_FIELDS).filter((name) => isNullable(Agent.properties, name))

function isNullable(properties: Record<string, unknown>, name: string): boolean {
  const { type, anyOf = [] } = properties[name] as { type?: string | string[]; anyOf?: { type?: string }[] }
  return [type].flat().includes('null') || anyOf.some((one) => one.type === 'null')
}
