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

/** Every field is optional and nullable: the shape of an update and of a nested object. */
export function optionalNullable<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(nullable(schema))]),
  ) as OptionalNullable<Fields>
}

/** The contract's pattern for a decimal number in text form. The document publishes it; the console never runs it,
 * because it takes cubic time on `'0' × n + 'x'` (33 s for n = 4,000). */
export const DECIMAL_PATTERN = '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$'

/** Accepts the same texts in linear time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

export const DECIMAL_MAX_LENGTH = 64

export function isDecimal(text: string): boolean {
  return text.length <= DECIMAL_MAX_LENGTH && DECIMAL.test(text)
}

export const Decimal = Type.String({
  pattern: DECIMAL_PATTERN,
  description: 'Test score as a decimal number in text form, with every digit that was sent.',
})

/** A client may send a JSON number, or the number in text form. */
export const DecimalInput = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  pattern: DECIMAL_PATTERN,
  maxLength: DECIMAL_MAX_LENGTH,
  description:
    'Test score: a JSON number, or a decimal number in text form of at most 64 characters. The console keeps every ' +
    'digit and returns it in text form.',
})

/** A JSON number literal in plain notation (`1e-7` is `0.0000001`), or null when the result is longer than
 * DECIMAL_MAX_LENGTH. It works on the text, because a double would lose digits. */
export function plainDecimal(literal: string): string | null {
  const [mantissa = '', exponentText] = literal.toLowerCase().split('e')
  const exponent = Number(exponentText ?? 0)
  if (Math.abs(exponent) > DECIMAL_MAX_LENGTH) return null
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const digits = whole + fraction
  const point = whole.length + exponent
  const padded = digits.padStart(digits.length - Math.min(point, 0), '0').padEnd(Math.max(point, 0), '0')
  const at = Math.max(point, 0)
  const plain = `${sign}${padded.slice(0, at) || '0'}${at < padded.length ? `.${padded.slice(at)}` : ''}`
  return isDecimal(plain) ? plain : null
}

/** What a text in lists and logs must not contain: control characters, line separators, and characters that reverse
 * the order of the text after them. */
export const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

export const ChangedByName = nullable(
  Type.String({
    description:
      'Display name of that user now. null: the tokens of the user have none, it was erased, or it is not stored yet.',
  }),
)

/** From the most urgent to the least. */
export const PRIORITIES = ['interactive', 'protection', 'evaluation', 'red_team'] as const

export type Priority = (typeof PRIORITIES)[number]
