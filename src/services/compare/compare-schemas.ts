import { isNode, listAt, type Node, nodeAt, resolve, textOf } from '../document/tree.ts'

/** A schema of what callers send must not become narrower, one of what they receive must not become wider. */
export type Direction = 'sent' | 'received'

export interface Comparison {
  readonly documents: { readonly before: Node; readonly after: Node }
  readonly direction: Direction
  /** Called for each change that breaks a caller. */
  readonly report: (change: string) => void
  /** Pairs of references compared so far: a schema may contain itself. */
  readonly compared: Set<string>
}

type Compare<Schema> = (comparison: Comparison, before: Schema, after: Schema, place: string) => void
type CompareKeywords = Compare<Node>

export const compareSchemas: Compare<unknown> = (comparison, beforeSchema, afterSchema, place) => {
  const references = `${referenceOf(beforeSchema)} ${referenceOf(afterSchema)}`
  if (comparison.compared.has(references)) return
  if (references !== ' ') comparison.compared.add(references)
  const before = read(comparison.documents.before, beforeSchema)
  const after = read(comparison.documents.after, afterSchema)
  const parts = [compareTypes, compareValues, compareBounds, compareProperties, compareAlternatives]
  for (const compare of parts) compare(comparison, before, after, place)
  for (const [keyword, at] of Object.entries({ items: '[]', additionalProperties: '.*' })) {
    if (!isNode(before[keyword]) || !isNode(after[keyword])) continue
    compareSchemas(comparison, before[keyword], after[keyword], place + at)
  }
}

/** What a reference leads to, together with the keywords beside it. */
function read(document: Node, schema: unknown): Node {
  const { $ref: _, ...beside } = isNode(schema) ? schema : {}
  return { ...resolve(document, schema), ...beside }
}

function referenceOf(schema: unknown): string {
  return isNode(schema) ? textOf(schema['$ref']) : ''
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

function typesOf({ type = ALL_TYPES }: Node): string[] {
  const types = [type].flat() as string[]
  return types.includes('number') ? [...types, 'integer'] : types
}

const hasTypes = (schema: Node, other: Node) => typesOf(other).every((type) => typesOf(schema).includes(type))

const compareTypes: CompareKeywords = ({ direction, report }, before, after, place) => {
  const isCompatible = direction === 'sent' ? hasTypes(after, before) : hasTypes(before, after)
  if (!isCompatible) {
    const name = ({ type = 'any' }: Node) => [type].flat().join(' or ')
    report(`the type of ${place} changed from ${name(before)} to ${name(after)}`)
    return
  }
  const [beforeFormat, afterFormat] = [textOf(before['format']), textOf(after['format'])]
  if (!beforeFormat || !afterFormat || beforeFormat === afterFormat) return
  report(`the format of ${place} changed from ${beforeFormat} to ${afterFormat}`)
}

/** The values that an enumeration or a constant allows; undefined where any value is allowed. */
function valuesOf(schema: Node): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined
}

const compareValues: CompareKeywords = ({ direction, report }, before, after, place) => {
  const beforeValues = valuesOf(before)
  const afterValues = valuesOf(after)
  if (!afterValues) return
  // Also in responses: a client may depend on a value that is no longer sent.
  const gone = beforeValues?.filter((value) => !afterValues.includes(value)) ?? []
  if (gone.length > 0) report(`${place} no longer has the value ${gone.join(', ')}`)
  if (!beforeValues && direction === 'sent') report(`${place} now takes ${afterValues.join(', ')} only`)
}

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

const compareBounds: CompareKeywords = ({ direction, report }, before, after, place) => {
  for (const keyword of [...LOWER, ...UPPER]) {
    const [beforeBound, afterBound] = [before[keyword], after[keyword]]
    if (typeof beforeBound !== 'number' || typeof afterBound !== 'number') continue
    const isTighter = LOWER.includes(keyword) ? afterBound > beforeBound : afterBound < beforeBound
    if (beforeBound === afterBound || isTighter !== (direction === 'sent')) continue
    report(`${keyword} of ${place} changed from ${beforeBound} to ${afterBound}`)
  }
  if (direction === 'sent' && after['pattern'] !== undefined && before['pattern'] === undefined) {
    report(`${place} must now match ${textOf(after['pattern'])}`)
  }
}

const compareProperties: CompareKeywords = (comparison, before, after, place) => {
  const { documents, direction, report } = comparison
  const [beforeProperties, afterProperties] = [nodeAt(before, 'properties'), nodeAt(after, 'properties')]
  const at = (name: string) => (place === 'the body' ? name : `${place}.${name}`)
  for (const name of direction === 'sent' ? newlyRequired(before, after) : []) {
    const property = resolve(documents.after, afterProperties[name])
    if (property?.['readOnly'] === true || property?.['default'] !== undefined) continue
    report(`${at(name)} is now required`)
  }
  for (const name of direction === 'received' ? newlyRequired(after, before) : []) {
    if (resolve(documents.before, beforeProperties[name])?.['writeOnly'] === true) continue
    report(`${at(name)} was required and ${name in afterProperties ? 'may now be absent' : 'is gone'}`)
  }
  for (const [name, property] of Object.entries(beforeProperties)) {
    if (!Object.hasOwn(afterProperties, name)) continue
    compareSchemas(comparison, property, afterProperties[name], at(name))
  }
}

function newlyRequired(before: Node, after: Node): string[] {
  return listAt(after, 'required').filter((name) => !listAt(before, 'required').includes(name)) as string[]
}

const hasOthers = (members: Map<string, unknown>, known: Map<string, unknown>) =>
  members.keys().some((key) => !known.has(key))

const compareAlternatives: CompareKeywords = (comparison, before, after, place) => {
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const [beforeParts, afterParts] = [subschemasOf(before, keyword), subschemasOf(after, keyword)]
    for (const [key, member] of beforeParts) {
      if (afterParts.has(key)) compareSchemas(comparison, member, afterParts.get(key), place)
    }
    if (beforeParts.size === 0 || afterParts.size === 0) continue
    // What callers send may gain alternatives (`oneOf`, `anyOf`) and lose conditions (`allOf`); what they receive may do
    // the opposite. As in oasdiff, a received `anyOf` is never reported.
    const mayGain = (keyword === 'allOf') !== (comparison.direction === 'sent')
    const isBreaking = mayGain ? hasOthers(beforeParts, afterParts) : hasOthers(afterParts, beforeParts)
    if (isBreaking && !(keyword === 'anyOf' && comparison.direction === 'received')) {
      comparison.report(`the alternatives of ${place} changed`)
    }
  }
}

/** Alternatives are matched by their reference, else by their content; parts of `allOf` by their place. */
function subschemasOf(schema: Node, keyword: string): Map<string, unknown> {
  const members = listAt(schema, keyword)
  const ownKey = (member: unknown, n: number) => (keyword === 'allOf' ? `${n}` : JSON.stringify(member))
  return new Map(members.map((member, n) => [referenceOf(member) || ownKey(member, n), member]))
}
