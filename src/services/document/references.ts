import type { Components } from './document.ts'
import { isNode, listAt, type Node, nodeAt, resolve, segmentsOf, valueAt, walk } from './tree.ts'

/** `['schemas', 'Report']` for `#/components/schemas/Report/properties/x`; undefined for any other place. */
function componentOf(reference: unknown): [section: string, name: string] | undefined {
  if (typeof reference !== 'string') return undefined
  const [root, section, name] = segmentsOf(reference)
  return root === 'components' && section && name ? [section, name] : undefined
}

/** A value of a discriminator's mapping is a reference, or the bare name of a schema. */
export function mappedSchema(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.startsWith('#/') ? componentOf(value)?.[1] : value
}

/** The components that a part of a document refers to, some more than once. */
function componentsIn(part: unknown): [section: string, name: string][] {
  const found: [string, string][] = []
  walk(part, (node) => {
    const component = componentOf(node['$ref'])
    if (component) found.push(component)
    if (!isNode(node['discriminator'])) return
    for (const target of Object.values(nodeAt(node['discriminator'], 'mapping'))) {
      found.push(['schemas', mappedSchema(target) ?? ''])
    }
  })
  return found
}

/** The schemas that a list of alternatives or parts refers to directly. */
export function membersOf(schema: unknown, ...keywords: string[]): string[] {
  if (!isNode(schema)) return []
  const members = keywords.flatMap((keyword) => listAt(schema, keyword))
  return members.flatMap((member) => (isNode(member) ? (componentOf(member['$ref'])?.[1] ?? []) : []))
}

/** For each schema with a discriminator: the schemas that extend it through `allOf`, directly or indirectly. The
 * discriminator selects them by name. */
export function extensionsOf(schemas: Node): Map<string, Set<string>> {
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
  const bases = Object.keys(schemas).filter((name) => isNode(nodeAt(schemas, name)['discriminator']))
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
    if (!isNode(node['links'])) return
    const links = Object.entries(node['links']).flatMap(([name, declared]) => {
      const { server: _, ...link } = structuredClone(resolve(document, declared)) ?? {}
      return isMounted(link) ? [[name, link]] : []
    })
    node['links'] = Object.fromEntries(links)
  }
}
