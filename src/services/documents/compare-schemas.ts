import { isNode, listAt, type Node, nodeAt, resolve, textOf } from './tree.ts'

/** Who is bound by a schema: what is sent may not be narrowed, what is received may not be widened. */
export type Direction = 'sent' | 'received'

export interface Comparison {
  readonly before: Node
  readonly after: Node
  readonly direction: Direction
  /** Told of each change that breaks a caller. */
  readonly report: (fault: string) => void
  /** Pairs of references met before: a schema may contain itself, and others very often. */
  readonly met: Set<string>
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

export function compareSchemas(comparison: Comparison, before: unknown, after: unknown, place: string): void {
  const references = `${referenceOf(before)} ${referenceOf(after)}`
  if (comparison.met.has(references)) return
  if (references !== ' ') comparison.met.add(references)
  const old = resolve(comparison.before, before) ?? {}
  const now = resolve(comparison.after, after) ?? {}
  compareTypes(comparison, old, now, place)
  compareValues(comparison, old, now, place)
  compareBounds(comparison, old, now, place)
  compareProperties(comparison, old, now, place)
  compareAlternatives(comparison, old, now, place)
  for (const [keyword, at] of Object.entries({ items: '[]', additionalProperties: '.*' })) {
    if (isNode(old[keyword]) && isNode(now[keyword])) {
      compareSchemas(comparison, old[keyword], now[keyword], place + at)
    }
  }
}

function referenceOf(schema: unknown): string {
  return isNode(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'] : ''
}

function typesOf(schema: Node): string[] {
  const declared = [schema['type'] ?? []].flat() as string[]
  if (declared.length === 0) return ALL_TYPES
  return declared.includes('number') ? [...declared, 'integer'] : declared
}

function compareTypes({ direction, report }: Comparison, old: Node, now: Node, place: string): void {
  const [wide, narrow] = direction === 'sent' ? [now, old] : [old, now]
  if (typesOf(narrow).every((type) => typesOf(wide).includes(type))) {
    if (old['format'] !== undefined && now['format'] !== undefined && old['format'] !== now['format']) {
      report(`the format of ${place} changed from ${textOf(old['format'])} to ${textOf(now['format'])}`)
    }
    return
  }
  const name = ({ type = 'any' }: Node) => [type].flat().join(' or ')
  report(`the type of ${place} changed from ${name(old)} to ${name(now)}`)
}

/** The values that an enumeration or a constant allows; undefined where any is. */
function valuesOf(schema: Node): string[] | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined
}

function compareValues({ direction, report }: Comparison, old: Node, now: Node, place: string): void {
  const oldValues = valuesOf(old)
  const nowValues = valuesOf(now)
  if (!nowValues) return
  // Whoever receives fewer values is not broken by their form, but waits for some in vain.
  const gone = oldValues?.filter((value) => !nowValues.includes(value)) ?? []
  if (gone.length > 0) report(`${place} no longer has the value ${gone.join(', ')}`)
  if (!oldValues && direction === 'sent') report(`${place} now takes ${nowValues.join(', ')} only`)
}

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

function compareBounds({ direction, report }: Comparison, old: Node, now: Node, place: string): void {
  const breaks = (keyword: string, isTighter: boolean) => {
    if (isTighter === (direction === 'sent')) {
      report(`${keyword} of ${place} changed from ${textOf(old[keyword])} to ${textOf(now[keyword])}`)
    }
  }
  for (const keyword of [...LOWER, ...UPPER]) {
    const [from, to] = [old[keyword], now[keyword]]
    if (typeof from !== 'number' || typeof to !== 'number' || from === to) continue
    breaks(keyword, LOWER.includes(keyword) ? to > from : to < from)
  }
  if (direction === 'sent' && now['pattern'] !== undefined && old['pattern'] === undefined) {
    report(`${place} must now match ${textOf(now['pattern'])}`)
  }
}

function compareProperties(comparison: Comparison, old: Node, now: Node, place: string): void {
  const { direction, report } = comparison
  const oldProperties = nodeAt(old, 'properties')
  const nowProperties = nodeAt(now, 'properties')
  const at = (name: string) => (place === 'the body' ? name : `${place}.${name}`)
  const isOwn = (schema: unknown, root: Node) =>
    resolve(root, schema)?.[direction === 'sent' ? 'readOnly' : 'writeOnly'] === true
  if (direction === 'sent') {
    for (const name of newlyRequired(old, now)) {
      const property = resolve(comparison.after, nowProperties[name])
      if (!isOwn(property, comparison.after) && property?.['default'] === undefined) {
        report(`${at(name)} is now required`)
      }
    }
  } else {
    for (const name of newlyRequired(now, old)) {
      if (isOwn(oldProperties[name], comparison.before)) continue
      report(`${at(name)} was required and ${name in nowProperties ? 'may now be absent' : 'is gone'}`)
    }
  }
  for (const [name, property] of Object.entries(oldProperties)) {
    if (Object.hasOwn(nowProperties, name))
      compareSchemas(comparison, property, nowProperties[name], at(name))
  }
}

function newlyRequired(old: Node, now: Node): string[] {
  const before = listAt(old, 'required')
  return listAt(now, 'required').filter((name) => !before.includes(name)) as string[]
}

/** Alternatives are the same by their reference, else by what they say; parts of a whole by their place. */
function compareAlternatives(comparison: Comparison, old: Node, now: Node, place: string): void {
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const oldMembers = membersOf(old, keyword)
    const nowMembers = membersOf(now, keyword)
    for (const [key, member] of oldMembers) {
      if (nowMembers.has(key)) compareSchemas(comparison, member, nowMembers.get(key), place)
    }
    const [from, to] =
      (keyword === 'allOf') === (comparison.direction === 'sent')
        ? [nowMembers, oldMembers]
        : [oldMembers, nowMembers]
    if (oldMembers.size === 0 || nowMembers.size === 0) continue
    const lost = from.keys().find((key) => !to.has(key))
    if (lost !== undefined && !(keyword === 'anyOf' && comparison.direction === 'received')) {
      comparison.report(`the alternatives of ${place} changed`)
    }
  }
}

function membersOf(schema: Node, keyword: string): Map<string, unknown> {
  let place = 0
  const ownKey = (member: unknown) => (keyword === 'allOf' ? `${++place}` : JSON.stringify(member))
  return new Map(listAt(schema, keyword).map((member) => [referenceOf(member) || ownKey(member), member]))
}
