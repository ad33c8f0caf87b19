import { DECIMAL_PATTERN, plainDecimal } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import { explain, type JsonSchema, type Resolve } from './explain.ts'
import { FaultList } from './faults.ts'
import type { ReceivedBody } from './json-body.ts'
import type { Finding } from './json-scan.ts'

/** Validates a body and answers the value a handler gets. Types are strict: nothing is coerced, defaulted
 * or removed. */
export function readBody(
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
  received: ReceivedBody | undefined,
  resolve: Resolve,
  faults: FaultList,
): unknown {
  // An absent body and `null` are the same to a client that builds its body from an object.
  if (received === undefined || received.value === null) {
    faults.add(['body'], 'missing')
    return undefined
  }
  const { value, findings } = received
  const own = new FaultList()
  const fields = schema.properties ?? {}
  for (const finding of findings) {
    if (value !== undefined) settle(finding, value as Record<string, unknown>, fields, own)
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
function settle(
  { kind, path, literal = '' }: Finding,
  body: Record<string, unknown>,
  fields: Record<string, JsonSchema>,
  faults: FaultList,
): void {
  const [name] = path
  const loc = ['body', ...path]
  if (kind === 'prototype_name') return faults.add(loc, 'value_error', 'the name __proto__ is not accepted')
  const schema = typeof name === 'string' ? fields[name] : undefined
  if (schema === undefined || typeof name !== 'string') return
  if (kind === 'nul') return faults.add(loc, 'value_error', 'text may not contain the character U+0000')
  if (kind === 'lone_surrogate') return faults.add(loc, 'string_unicode')

  if (path.length > 1) {
    if (!Number.isFinite(Number(literal))) return faults.add(loc, 'finite_number')
    return faults.add(loc, 'value_error', 'a double-precision number cannot hold this value exactly')
  }
  // A field of the agent itself: a decimal takes every digit, an integer none behind the point, and any
  // other type says itself what is wrong.
  if (schema.pattern === DECIMAL_PATTERN) {
    // Of two fields with one name the last counts, and it need not be this one.
    if (body[name] === Number(literal)) body[name] = plainDecimal(literal) ?? literal
  } else if ([schema.type].flat().includes('integer') && Number.isSafeInteger(Number(literal))) {
    faults.add(loc, 'int_from_float')
  }
}

function normaliseUuids(fields: Record<string, JsonSchema>, value: unknown): void {
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
