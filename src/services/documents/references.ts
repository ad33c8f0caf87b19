import { DocumentBroken } from './read.ts'
import { isNode, listAt, type Node, nodeAt, pointerTo, resolve, segmentsOf, walk } from './tree.ts'

/** By section, then by name. */
export type Components = Readonly<Record<string, Node>>

/** Refuses what would have to be fetched from elsewhere, leads nowhere or goes round in circles. */
export function checkReferences(document: Node): void {
  const faults = new Set<string>()
  walk(document, (node) => {
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (typeof node[keyword] === 'string') faults.add(`It uses ${keyword}, which is not understood.`)
    }
    const reference = node['$ref']
    if (typeof reference !== 'string') return
    if (!reference.startsWith('#/')) faults.add(`The reference ${reference} leads out of the document.`)
    else if (!resolve(document, node)) faults.add(`The reference ${reference} leads nowhere.`)
  })
  if (faults.size > 0) throw new DocumentBroken(...[...faults].slice(0, 20))
}

/** `schemas/Report` for `#/components/schemas/Report/properties/x`; undefined for a place that is no component. */
export function componentOf(reference: string): string | undefined {
  const [root, section, name] = segmentsOf(reference)
  return root === 'components' && section && name ? `${section}/${name}` : undefined
}

/** A value of a mapping is a reference, or the bare name of a schema. */
export function mappedComponent(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.startsWith('#/') ? componentOf(value) : `schemas/${value}`
}

/** The components that something names itself. */
function namedIn(value: unknown): Set<string> {
  const named = new Set<string>()
  const add = (key: string | undefined) => key !== undefined && named.add(key)
  walk(value, (node) => {
    if (typeof node['$ref'] === 'string') add(componentOf(node['$ref']))
    if (!isNode(node['discriminator'])) return
    for (const target of Object.values(nodeAt(node['discriminator'], 'mapping'))) add(mappedComponent(target))
  })
  return named
}

/** The components of a document, and which of them refers to which. Each is looked through once. */
export interface ComponentGraph {
  readonly keys: readonly string[]
  at: (key: string) => unknown
  /** The components that a component names itself. */
  namedBy: (key: string) => readonly string[]
  /** The components that name a component. */
  namersOf: (key: string) => readonly string[]
  /** The components that any part of the document refers to, through whatever lies between. */
  reachedFrom: (part: unknown) => Set<string>
}

export function createGraph(components: Components): ComponentGraph {
  const keys = Object.entries(components).flatMap(([section, members]) =>
    Object.keys(members).map((name) => `${section}/${name}`),
  )
  const extending = extensionsOf(components['schemas'] ?? {})
  const known = new Map<string, string[]>()
  let namers: Map<string, string[]> | undefined
  const namedBy = (key: string): string[] => {
    const found = known.get(key)
    if (found) return found
    // Whoever may stand in the place of a base is named by nobody else.
    const named = [...namedIn(componentAt(components, key)), ...(extending.get(key) ?? [])]
    known.set(key, named)
    return named
  }
  return {
    keys,
    at: (key) => componentAt(components, key),
    namedBy,
    namersOf: (key) => {
      namers ??= reversed(keys, namedBy)
      return namers.get(key) ?? []
    },
    reachedFrom: (part) =>
      spread(namedIn(part), (key) => (componentAt(components, key) === undefined ? undefined : namedBy(key))),
  }
}

function reversed(keys: readonly string[], namedBy: (key: string) => string[]): Map<string, string[]> {
  const namers = new Map<string, string[]>()
  for (const namer of keys) {
    for (const key of namedBy(namer)) {
      const known = namers.get(key)
      if (known) known.push(namer)
      else namers.set(key, [namer])
    }
  }
  return namers
}

/** All that is found by going on from what was found; nothing is where `next` answers undefined. */
export function spread(
  from: Iterable<string>,
  next: (key: string) => readonly string[] | undefined,
): Set<string> {
  const found = new Set<string>()
  const open = [...from]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const more = found.has(key) ? undefined : next(key)
    if (!more) continue
    found.add(key)
    open.push(...more)
  }
  return found
}

export function componentAt(components: Components, key: string): unknown {
  const [section, name] = split(key)
  const members = Object.hasOwn(components, section) ? components[section] : undefined
  return members && Object.hasOwn(members, name) ? members[name] : undefined
}

/** Writes down which schemas a discriminator finds by their names alone, unless it maps them already. */
export function mapByName(schema: Node, keys: readonly string[]): void {
  const discriminator = nodeAt(schema, 'discriminator')
  const mapping = nodeAt(discriminator, 'mapping')
  const mapped = new Set(Object.values(mapping).map(mappedComponent))
  const added = keys
    .filter((key) => !mapped.has(key))
    .map((key) => [split(key)[1], pointerTo('components', ...split(key))])
  if (added.length > 0) discriminator['mapping'] = { ...Object.fromEntries(added.toReversed()), ...mapping }
}

/** By component with a discriminator, the schemas that extend it by `allOf`, and those that extend these. */
export function extensionsOf(schemas: Node): Map<string, string[]> {
  const basesOf = (key: string) => {
    const schema = schemas[split(key)[1]]
    return (isNode(schema) ? listAt(schema, 'allOf') : []).flatMap((part) =>
      isNode(part) && typeof part['$ref'] === 'string' ? (componentOf(part['$ref']) ?? []) : [],
    )
  }
  const keys = Object.keys(schemas).map((name) => `schemas/${name}`)
  const extending = reversed(keys, basesOf)
  const hasDiscriminator = (key: string) => isNode(nodeAt(schemas, split(key)[1])['discriminator'])
  const nextOf = (key: string) => extending.get(key) ?? []
  return new Map(keys.filter(hasDiscriminator).map((base) => [base, [...spread(nextOf(base), nextOf)]]))
}

/** `schemas/A/B` is the component `A/B`. */
export function split(key: string): [section: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
