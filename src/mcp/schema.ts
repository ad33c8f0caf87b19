import {
  fromJsonSchema,
  type JsonSchemaValidator,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import { AGENT_SCHEMAS } from '../contract/agent.ts'
import { DECIMAL_PATTERN } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import { RequestValidationError, type ValidationError } from '../contract/validation-error.ts'
import { onFirstUse } from '../platform/on-first-use.ts'

/** The schemas of tools. A model reads them with every conversation, so they are short; hosts differ in what they support, so no
 * schema has a reference, a list of types or a null. */

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

/** The schema of a field of the contract in the short form. The console validates the value with the schema of the contract too. */
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

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  formats: { uuid: (text: string) => parseUuid(text).ok },
})

/** Limits that the console checks, and that no model needs to know before it reaches one. */
const NOT_LISTED = ['minimum', 'minLength', 'maxLength', 'maxItems', 'pattern']

function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !NOT_LISTED.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutLimits(value)]))
}

/** A schema as the SDK lists it. The SDK validates nothing with it: its errors would not name the request, and an error after a
 * change would hide the change. */
export function listedSchema(schema: TSchema): StandardSchemaWithJSON<unknown, unknown> {
  return fromJsonSchema(withoutLimits(schema) as object, {
    getValidator:
      <Value>(): JsonSchemaValidator<Value> =>
      (input) => ({ valid: true, data: input as Value, errorMessage: undefined }),
  })
}

/** Returns a function that throws for other arguments. Call it once for each tool: its first call compiles, which takes longer than
 * most calls. */
export function compileArguments<Schema extends TSchema>(
  schema: Schema,
): (given: unknown) => asserts given is Static<Schema> {
  const findErrors = onFirstUse(() => {
    const isValid = ajv.compile(schema)
    return (given: unknown) => (isValid(given) ? [] : (isValid.errors ?? []))
  })
  const { properties = {} } = schema as { properties?: object }
  const toFault = (error: ErrorObject) => toValidationError(error, Object.keys(properties))
  return (given) => {
    const errors = findErrors(given)
    if (errors.length > 0) throw new RequestValidationError(errors.map(toFault))
  }
}

/** Names the place and the rule, and quotes no value: it may be a secret. `known`: the arguments of the tool. */
function toValidationError(
  { instancePath, message = 'is not valid', params }: ErrorObject,
  known: readonly string[],
): ValidationError {
  const { additionalProperty: name, allowedValues: choices } = params as {
    additionalProperty?: string
    allowedValues?: string[]
  }
  const rule = name === undefined ? message : `must not have the member ${showName(name)}`
  // A model that has guessed an argument finds the right one.
  const others = name !== undefined && instancePath === '' ? known : choices
  const choice = others === undefined ? '' : `${name === undefined ? '' : '; known'}: ${others.join(', ')}`
  return { loc: ['arguments', ...instancePath.split('/').slice(1)], msg: rule + choice, type: 'value_error' }
}

const showName = (name: string) => (/^\w{1,64}$/.test(name) ? name : 'with this name')
