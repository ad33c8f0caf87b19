import { publishedName } from '../../../config/services-file.ts'
import { isObject } from '../../../platform/json.ts'
import {
  type Components,
  type DeclaredOperation,
  DocumentInvalid,
  listAt,
  type Node,
  nodeAt,
  type PublishedParts,
  pointerTo,
  resolve,
  segmentsOf,
  textOf,
  valueAt,
  walk,
} from './document.ts'
import type { SelectedOperation } from './select.ts'

/** `['schemas', 'Report']` for `#/components/schemas/Report/properties/x`; undefined for any other place. */
function componentOf(reference: unknown): [section: string, name: string] | undefined {
  if (typeof reference !== 'string') return undefined
  const [root, section, name] = segmentsOf(reference)
  return root === 'components' && section && name ? [section, name] : undefined
}

/** A value of a discriminator's mapping is a reference, or the bare name of a schema. */
function mappedSchema(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.startsWith('#/') ? componentOf(value)?.[1] : value
}

/** The components that a part of a document refers to, some more than once. */
function componentsIn(part: unknown): [section: string, name: string][] {
  const found: [string, string][] = []
  walk(part, (node) => {
    const component = componentOf(node['$ref'])
    if (component) found.push(component)
    if (!isObject(node['discriminator'])) return
    for (const target of Object.values(nodeAt(node['discriminator'], 'mapping'))) {
      found.push(['schemas', mappedSchema(target) ?? ''])
    }
  })
  return found
}

/** The schemas that a list of alternatives or parts refers to directly. */
function membersOf(schema: unknown, ...keywords: string[]): string[] {
  if (!isObject(schema)) return []
  const members = keywords.flatMap((keyword) => listAt(schema, keyword))
  return members.flatMap((member) => (isObject(member) ? (componentOf(member['$ref'])?.[1] ?? []) : []))
}

/** For each schema with a discriminator: the schemas that extend it through `allOf`, directly or indirectly. The
 * discriminator selects them by name. */
function extensionsOf(schemas: Node): Map<string, Set<string>> {
  const extending = new Map<string, string[]>()
  for (const [name, schema] of Object.entries(schemas)) {
    for (const base of membersOf(schema, 'allOf')) {
      extending.set(base, [...(extending.get(base) ?? []), name])
    }
  }
  const addTo = (found: Set<string>, base: string): Set<string> => {
    for (const name of extending.get(base) ?? []) if (!found.has(name)) addTo(found.add(name), name)
    return found
  }
  const bases = Object.keys(schemas).filter((name) => isObject(nodeAt(schemas, name)['discriminator']))
  return new Map(bases.map((base) => [base, addTo(new Set(), base)]))
}

/** `schemas/Report` for each component. */
export function componentKeys(components: Components): string[] {
  return Object.entries(components).flatMap(([section, members]) =>
    Object.keys(members).map((name) => `${section}/${name}`),
  )
}

/** Links are inlined, and the console has its own security scheme. */
const SECTIONS = 'schemas responses parameters examples requestBodies headers callbacks pathItems'.split(' ')

/** The components that the paths refer to, directly or through others. */
export function selectComponents(document: Node, paths: Node): Components {
  const all = nodeAt(document, 'components')
  const extensions = extensionsOf(nodeAt(all, 'schemas'))
  const selected: Components = {}
  const open = componentsIn(paths)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [section, name] = next
    const component = SECTIONS.includes(section) ? valueAt(all, next) : undefined
    if (component === undefined) continue
    const members = (selected[section] ??= {})
    if (Object.hasOwn(members, name)) continue
    members[name] = component
    open.push(...componentsIn(component))
    if (section === 'schemas') {
      for (const extension of extensions.get(name) ?? []) open.push(['schemas', extension])
    }
  }
  return selected
}

/** Inlines the links of a response and drops links to operations that are not mounted. */
export function selectLinks(document: Node, paths: Node, operationIds: ReadonlySet<unknown>) {
  const isMounted = ({ operationId, operationRef }: Node) =>
    typeof operationRef === 'string'
      ? operationRef.startsWith('#/paths/') && valueAt({ paths }, segmentsOf(operationRef)) !== undefined
      : operationIds.has(operationId)
  return (node: Node): void => {
    if (!isObject(node['links'])) return
    const links = Object.entries(node['links']).flatMap(([name, declared]) => {
      const { server: _, ...link } = structuredClone(resolve(document, declared)) ?? {}
      return isMounted(link) ? [[name, link]] : []
    })
    node['links'] = Object.fromEntries(links)
  }
}

type NameOf = (name: string) => string

/** Gives components and operations their published names. */
export class Renaming {
  readonly operations: DeclaredOperation[]
  readonly #nameOf: NameOf
  readonly #parts: Pick<PublishedParts, 'paths' | 'components'>
  readonly #schemas: Node
  readonly #extensions: ReadonlyMap<unknown, ReadonlySet<string>>
  /** The published ids, by the object of an operation. */
  readonly #mounted: ReadonlyMap<Node, string | undefined>
  /** The published ids, by the declared ones. A link leads to the first operation with its id. */
  readonly #ids: ReadonlyMap<unknown, string | undefined>

  constructor(
    service: string,
    parts: Pick<PublishedParts, 'paths' | 'components'>,
    selected: readonly SelectedOperation[],
  ) {
    const schemas = parts.components['schemas'] ?? {}
    const extensions = [...extensionsOf(schemas)].map(([base, names]) => [schemas[base], names] as const)
    this.#nameOf = (name) => publishedName(service, name)
    this.#parts = parts
    this.#schemas = schemas
    this.#extensions = new Map(extensions)
    this.operations = nameOperations(this.#nameOf, selected)
    this.#mounted = new Map(selected.map(({ node }, n) => [node, this.operations[n]?.operationId]))
    const ids = [...this.#mounted].map(([node, id]) => [node['operationId'], id] as const)
    this.#ids = new Map(ids.toReversed())
  }

  /** Renames what an object refers to: references, mappings of discriminators, and ids of operations and links. */
  visit(node: Node): void {
    const { $ref, discriminator, operationId } = node
    if (typeof $ref === 'string') node['$ref'] = this.#renamedReference($ref)
    if (isObject(discriminator)) {
      node['discriminator'] = { ...discriminator, mapping: this.#completeMapping(node, discriminator) }
    }
    if (this.#mounted.has(node)) node['operationId'] = this.#mounted.get(node)
    else if (typeof operationId === 'string')
      node['operationId'] = this.#ids.get(operationId) ?? this.#nameOf(safeId(operationId))
  }

  /** The components under their published names. Called after all objects were visited. */
  finish(): Components {
    const sections = Object.entries(this.#parts.components)
    return Object.fromEntries(sections.map(([section, members]) => [section, renamed(this.#nameOf, members)]))
  }

  #renamedReference(reference: string): string {
    const [root = '', section = '', name = '', ...rest] = segmentsOf(reference)
    if (valueAt(this.#parts, segmentsOf(reference)) === undefined) {
      throw new DocumentInvalid(`The reference ${reference} leads to a part that is not published.`)
    }
    return root === 'components' ? pointerTo(root, section, this.#nameOf(name), ...rest) : reference
  }

  /** Which schema each value of a discriminator selects. Without a mapping the value is the name of the schema; here
   * the names change, and the values on the wire do not. */
  #completeMapping(schema: Node, discriminator: Node): Node {
    const declared = Object.entries(nodeAt(discriminator, 'mapping'))
    const mapped = new Set(declared.map(([, target]) => mappedSchema(target)))
    const byName = [...(this.#extensions.get(schema) ?? []), ...membersOf(schema, 'oneOf', 'anyOf')]
    const added = byName.filter((name) => !mapped.has(name)).map((name) => [name, name] as const)
    const entries = [...added, ...declared].flatMap(([value, target]) => {
      const name = mappedSchema(target) ?? ''
      const pointer = pointerTo('components', 'schemas', this.#nameOf(name))
      return Object.hasOwn(this.#schemas, name) ? [[value, pointer]] : []
    })
    return Object.fromEntries(entries)
  }
}

function nameOperations(nameOf: NameOf, selected: readonly SelectedOperation[]): DeclaredOperation[] {
  const taken = new Set<string>()
  return selected.map(({ declared, node }) => {
    const id = textOf(node['operationId']) || `${declared.method.toLowerCase()}${declared.path}`
    let operationId = nameOf(safeId(id))
    while (taken.has(operationId)) operationId += '_'
    taken.add(operationId)
    return { ...declared, operationId }
  })
}

/** Operation ids become metric labels and function names in generated clients. */
function safeId(operationId: string): string {
  return operationId.replaceAll(/[^\w.-]+/g, '_')
}

function renamed(nameOf: NameOf, members: Node): Node {
  const named = new Map<string, unknown>()
  for (const [name, member] of Object.entries(members)) {
    const published = nameOf(name)
    if (named.has(published)) throw new DocumentInvalid(`Two components would be published as ${published}.`)
    named.set(published, member)
  }
  return Object.fromEntries(named)
}
