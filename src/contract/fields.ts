import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'

/** Building blocks of schemas: plain JSON Schema with a TypeScript type, so that one schema validates, types,
 * documents and serialises. */

export const Uuid = Type.String({ format: 'uuid' })

/** The format of an integer names the size that it is stored in. */
const INTEGER_LIMITS = {
  int32: 2_147_483_647,
  /** A double holds every integer up to this one exactly. */
  int64: Number.MAX_SAFE_INTEGER,
}

interface IntegerOptions {
  format?: keyof typeof INTEGER_LIMITS
  minimum?: number
  maximum?: number
  default?: number
  description?: string
}

/** Its bounds are those of its format, unless narrower ones are given. A larger integer is rejected, never rounded. */
export function integer({ format = 'int64', ...options }: IntegerOptions = {}) {
  const limit = INTEGER_LIMITS[format]
  return Type.Integer({ format, minimum: -limit, maximum: limit, ...options })
}

export const UnixSeconds = integer({ description: 'Unix time in seconds' })

/** A JSON object that the console does not interpret. Without `additionalProperties` the serialiser drops every
 * member. */
export const FreeFormObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
})

/** The same schema with another description. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

/** `Type.Enum` omits `type: string`, which readers of the document and the serialiser need. */
export function oneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })
}

/** A reference to a registered schema. An inlined schema would leave `components.schemas` empty. */
export function ref<Schema extends TSchema & { $id?: string }>(
  schema: Schema,
  options: { description?: string } = {},
): TUnsafe<Static<Schema>> {
  if (!schema.$id) throw new Error('A referenced schema needs an $id')
  return Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#`, ...options })
}

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
  description?: string
}

/** The same schema, or null. Written as a list of types where possible: the short form of OpenAPI 3.1, which gives
 * one validation error instead of three and a faster serialiser. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as JsonSchema
  if (type === undefined) {
    const { description, ...bare } = rest
    return Type.Unsafe({ anyOf: [bare, { type: 'null' }], ...(description ? { description } : {}) })
  }
  return Type.Unsafe({
    ...rest,
    type: [type, 'null'].flat(),
    ...(values ? { enum: [...values, null] } : {}),
  })
}

/** The parameters and the field that every paged list shares. */
export const PageLimit = integer({
  format: 'int32',
  minimum: 1,
  maximum: 500,
  default: 100,
  description: 'Maximum number of results in the page, 1 to 500. Default: 100.',
})

export const PageCursor = Type.String({
  maxLength: 500,
  description: 'The `next_cursor` of the previous page, sent with the same filters. Default: the first page.',
})

export const NextCursor = nullable(
  Type.String({ description: 'Send it as `cursor` to get the next page. null on the last page.' }),
)

type OptionalNullable<Fields extends Record<string, TSchema>> = {
  [Name in keyof Fields]: ReturnType<typeof Type.Optional<TUnsafe<Static<Fields[Name]> | null>>>
}

type Optional<Fields extends Record<string, TSchema>> = {
  [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]>>
}

/** Every field is optional. */
export function optional<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as Optional<Fields>
}

/** Every field is optional and nullable: the shape of an update and of a nested object. */
export function optionalNullable<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(nullable(schema))]),
  ) as OptionalNullable<Fields>
}
