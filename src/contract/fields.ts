import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'

/** What fields are made of. Plain JSON Schema with a TypeScript type, so that one schema validates,
 * types, documents and serialises. */

export const Uuid = Type.String({ format: 'uuid' })

/** Integers carry the size that holds them as their format; a larger one is refused, never rounded. */
export const integer = (options: object = {}) => Type.Integer({ format: 'int64', ...options })

export const UnixSeconds = integer({ description: 'Unix time in seconds' })

/** A JSON object whose members are the business of whoever wrote it. `additionalProperties` is spelled
 * out because a serialiser otherwise drops every member. */
export const FreeFormObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
})

/** `Type.Enum` leaves out `type: string`, which document readers and the serialiser need. */
export function oneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })
}

/** A reference to a registered schema. Inlining it instead would leave `components.schemas` empty. */
export function ref<Schema extends TSchema & { $id?: string }>(schema: Schema): TUnsafe<Static<Schema>> {
  if (!schema.$id) throw new Error('Only a schema with an $id can be referred to')
  return Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#` })
}

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
}

/** The same schema, or null. Written as a list of types where possible: the compact form of OpenAPI 3.1,
 * one validation error instead of three, and a serialiser without trial and error. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as JsonSchema
  if (type === undefined) return Type.Unsafe({ anyOf: [schema, { type: 'null' }] })
  return Type.Unsafe({
    ...rest,
    type: [type, 'null'].flat(),
    ...(values ? { enum: [...values, null] } : {}),
  })
}

/** Where a page ends, of every list. */
export const NextCursor = nullable(
  Type.String({ description: 'Send it as `cursor` for the next page; null on the last' }),
)

type OptionalNullable<Fields extends Record<string, TSchema>> = {
  [Name in keyof Fields]: ReturnType<typeof Type.Optional<TUnsafe<Static<Fields[Name]> | null>>>
}

/** Every field may be left out and may be null: the shape of an update and of a nested object. */
export function optionalNullable<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(nullable(schema))]),
  ) as OptionalNullable<Fields>
}
