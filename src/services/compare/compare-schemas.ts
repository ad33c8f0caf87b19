import { isNode, listAt, type Node, nodeAt, resolve, textOf } from '../document/tree.ts'

/** A schema of what callers send must not become narrower, one of what they receive must not become wider. */
export type Direction = 'sent' | 'received'

export interface Comparison {
  readonly before: Node
  readonly after: Node
  readonly direction: Direction
  /** Called for each change that breaks a caller. */
  readonly report: (change: string) => void
  /** Pairs of references compared so far: a schema may contain itself. */
  readonly compared: Set<string>
}

type CompareKeywords = (comparison: Comparison, old: Node, now: Node, place: string) => void

export function compareSchemas(comparison: Comparison, before: unknown, after: unknown, place: string): void {
  const references = `${referenceOf(before)} ${referenceOf(after)}`
  if (comparison.compared.has(references)) return
  if (references !== ' ') comparison.compared.add(references)
  const old = read(comparison.before, before)
  const now = read(comparison.after, after)
  for (const compare of [
    compareTypes,
    compareValues,
    compareBounds,
    compareProperties,
    compareAlternatives,
  ]) {
    compare(comparison, old, now, place)
  }
  for (const [keyword, at] of Object.entries({ items: '[]', additionalProperties: '.*' })) {
    if (!isNode(old[keyword]) || !isNode(now[keyword])) continue
    compareSchemas(comparison, old[keyword], now[keyword], place + at)
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

const compareTypes: CompareKeywords = ({ direction, report }, old, now, place) => {
  const [wide, narrow] = direction === 'sent' ? [now, old] : [old, now]
  if (!typesOf(narrow).every((type) => typesOf(wide).includes(type))) {
    const name = ({ type = 'any' }: Node) => [type].flat().join(' or ')
    report(`the type of ${place} changed from ${name(old)} to ${name(now)}`)
    return
  }
  const [from, to] = [textOf(old['format']), textOf(now['format'])]
  if (from && to && from !== to) report(`the format of ${place} changed from ${from} to ${to}`)
}

/** The values that an enumeration or a constant allows; undefined where any value is allowed. */
function valuesOf(schema: Node): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined
}

const compareValues: CompareKeywords = ({ direction, report }, old, now, place) => {
  const oldValues = valuesOf(old)
  const nowValues = valuesOf(now)
  if (!nowValues) return
  // In a response too: a caller may wait for a value that no longer comes.
  const gone = oldValues?.filter((value) => !nowValues.includes(value)) ?? []
  if (gone.length > 0) report(`${place} no longer has the value ${gone.join(', ')}`)
  if (!oldValues && direction === 'sent') report(`${place} now takes ${nowValues.join(', ')} only`)
}

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

const compareBounds: CompareKeywords = ({ direction, report }, old, now, place) => {
  for (const keyword of [...LOWER, ...UPPER]) {
    const [from, to] = [old[keyword], now[keyword]]
    if (typeof from !== 'number' || typeof to !== 'number' || from === to) continue
    const isTighter = LOWER.includes(keyword) ? to > from : to < from
    if (isTighter === (direction === 'sent')) report(`${keyword} of ${place} changed from ${from} to ${to}`)
  }
  if (direction === 'sent' && now['pattern'] !== undefined && old['pattern'] === undefined) {
    report(`${place} must now match ${textOf(now['pattern'])}`)
  }
}

const compareProperties: CompareKeywords = (comparison, old, now, place) => {
  const { before, after, direction, report } = comparison
  const [oldProperties, nowProperties] = [nodeAt(old, 'properties'), nodeAt(now, 'properties')]
  const at = (name: string) => (place === 'the body' ? name : `${place}.${name}`)
  for (const name of direction === 'sent' ? newlyRequired(old, now) : []) {
    const property = resolve(after, nowProperties[name])
    if (property?.['readOnly'] === true || property?.['default'] !== undefined) continue
    report(`${at(name)} is now required`)
  }
  for (const name of direction === 'received' ? newlyRequired(now, old) : []) {
    if (resolve(before, oldProperties[name])?.['writeOnly'] === true) continue
    report(`${at(name)} was required and ${name in nowProperties ? 'may now be absent' : 'is gone'}`)
  }
  for (const [name, property] of Object.entries(oldProperties)) {
    if (!Object.hasOwn(nowProperties, name)) continue
    compareSchemas(comparison, property, nowProperties[name], at(name))
  }
}

function newlyRequired(old: Node, now: Node): string[] {
  return listAt(now, 'required').filter((name) => !listAt(old, 'required').includes(name)) as string[]
}

const compareAlternatives: CompareKeywords = (comparison, old, now, place) => {
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const [oldMembers, nowMembers] = [membersOf(old, keyword), membersOf(now, keyword)]
    for (const [key, member] of oldMembers) {
      if (nowMembers.has(key)) compareSchemas(comparison, member, nowMembers.get(key), place)
    }
    if (oldMembers.size === 0 || nowMembers.size === 0) continue
    const mayGrow = (keyword === 'allOf') !== (comparison.direction === 'sent')
    const [from, to] = mayGrow ? [oldMembers, nowMembers] : [nowMembers, oldMembers]
    const isLost = from.keys().some((key) => !to.has(key))
    if (isLost && !(keyword === 'anyOf' && comparison.direction === 'received')) {
      comparison.report(`the alternatives of ${place} changed`)
    }
  }
}

/** Alternatives are matched by their reference, else by their content; parts of `allOf` by their place. */
function membersOf(schema: Node, keyword: string): Map<string, unknown> {
  const members = listAt(schema, keyword)
  const ownKey = (member: unknown, n: number) => (keyword === 'allOf' ? `${n}` : JSON.stringify(member))
  return new Map(members.map((member, n) => [referenceOf(member) || ownKey(member, n), member]))
}
