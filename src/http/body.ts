import { DECIMAL_PATTERN, plainDecimal } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import type { ReceivedBody } from './content.ts'
import { explain, type JsonSchema, type Resolve } from './explain.ts'
import { FaultList } from './faults.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { isExactNumber } from './json-number.ts'
import type { Finding } from './json-scan.ts'

type Fields = Record<string, JsonSchema>

/** Validates a body and answers the value a handler gets. Types are strict: nothing is coerced, defaulted
 * or removed. */
export function readBody(
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
  received: ReceivedBody | undefined,
  resolve: Resolve,
  faults: FaultList,
): unknown {
  const fields = schema.properties ?? {}
  const body = received && readReceived(received, schema)
  // An absent body and `null` are the same to a client that builds its body from an object.
  if (body === undefined || body.value === null) {
    faults.add(['body'], 'missing')
    return undefined
  }
  const { value, findings, numbers } = body
  const own = new FaultList()
  for (const finding of findings) refuse(finding, own)
  for (const [name, literal] of numbers) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    settleNumber(name, literal, value as Record<string, unknown>, field, own)
  }
  if (!isValid(value)) {
    explain(schema, value, ['body'], resolve, own)
    // The two readers of the schema disagree: better an error than a body nobody vouches for.
    if (own.faults.length === 0) throw new Error('A body was refused and nothing explains why')
  }
  normaliseUuids(fields, value)
  for (const fault of inFieldOrder(own, Object.keys(fields))) faults.append(fault)
  return value
}

/** Unknown fields are ignored whatever they hold; in known ones nothing may be lost or refused later. */
function readReceived({ bytes, isJson }: ReceivedBody, schema: JsonSchema): JsonBody {
  if (!isJson) return { value: undefined, findings: [], numbers: new Map() }
  // A body that is kept with all its members has no unknown ones.
  if (schema.properties && schema.additionalProperties === true) return readJsonBody(bytes, () => true)
  const names = new Set(Object.keys(schema.properties ?? {}))
  // Nobody's field, but whoever copies the body would change what it inherits from.
  if (names.size > 0) names.add('__proto__')
  return readJsonBody(bytes, (name) => names.has(name))
}

function refuse({ kind, path, literal }: Finding, faults: FaultList): void {
  const loc = ['body', ...path]
  if (kind === 'prototype_name') return faults.add(loc, 'value_error', 'the name __proto__ is not accepted')
  if (kind === 'nul') return faults.add(loc, 'value_error', 'text may not contain the character U+0000')
  if (kind === 'lone_surrogate') return faults.add(loc, 'string_unicode')
  if (!Number.isFinite(Number(literal))) return faults.add(loc, 'finite_number')
  faults.add(loc, 'value_error', 'a double-precision number cannot hold this value exactly')
}

/** A number that is a field of the body itself: a decimal takes every digit, an integer none behind the
 * point, a number and a member nobody has declared what a double holds, and any other type says itself what is
 * wrong. */
function settleNumber(
  name: string,
  literal: string,
  body: Record<string, unknown>,
  schema: JsonSchema | undefined,
  faults: FaultList,
): void {
  // Of two fields with one name the last counts, and it need not be a number.
  if (typeof body[name] !== 'number') return
  const types = [schema?.type ?? 'number'].flat()
  if (schema?.pattern === DECIMAL_PATTERN) {
    // What has no plain notation short enough stays as it is written: text that is not a decimal.
    body[name] = plainDecimal(literal) ?? literal
  } else if (types.includes('integer') && !isExactNumber(literal)) {
    if (Number.isSafeInteger(body[name])) faults.add(['body', name], 'int_from_float')
  } else if (types.includes('number') && !isExactNumber(literal)) {
    refuse({ kind: 'inexact_number', path: [name], literal }, faults)
  }
}

function normaliseUuids(fields: Fields, value: unknown): void {
  for (const [name, { format }] of Object.entries(fields)) {
    if (format !== 'uuid') continue
    const body = value as Record<string, unknown>
    const text = body?.[name]
    const parsed = typeof text === 'string' ? parseUuid(text) : undefined
    if (parsed?.ok) body[name] = parsed.uuid
  }
}

/** One fault a place, in the order the schema declares its fields. */
function inFieldOrder({ faults }: FaultList, order: string[]) {
  const byPlace = new Map(faults.map((fault) => [JSON.stringify(fault.loc), fault]))
  return [...byPlace.values()].toSorted(
    (a, b) => order.indexOf(String(a.loc[1])) - order.indexOf(String(b.loc[1])),
  )
}
