import {
  type Components,
  componentOf,
  extensionsOf,
  mapByName,
  mappedComponent,
  split,
} from './references.ts'
import { isNode, listAt, type Node, nodeAt, pointerTo, segmentsOf, walk } from './tree.ts'

/** Gives components other names (`schemas/Report` -> `TeamsReport`) and changes every place that refers to them:
 * references, the mapping of a discriminator, and the names by which a discriminator without one finds its schemas. The
 * paths are changed where they stand; the components come back under their names. */
export function renameComponents(
  paths: Node,
  components: Components,
  names: ReadonlyMap<string, string>,
): Record<string, Node> {
  // Rewritten below, like a mapping that was there before.
  mapRenamed(paths, components, names)
  walk([paths, Object.values(components).map((section) => Object.values(section))], (node) => {
    if (typeof node['$ref'] === 'string') node['$ref'] = rewritten(node['$ref'], names)
    const mapping = nodeAt(nodeAt(node, 'discriminator'), 'mapping')
    for (const [value, target] of Object.entries(mapping)) mapping[value] = rewrittenTarget(target, names)
  })
  return Object.fromEntries(
    Object.entries(components).map(([section, members]) => [
      section,
      Object.fromEntries(
        Object.entries(members).map(([name, member]) => [names.get(`${section}/${name}`) ?? name, member]),
      ),
    ]),
  )
}

function rewritten(reference: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(componentOf(reference) ?? '')
  if (name === undefined) return reference
  const [root = '', section = '', , ...rest] = segmentsOf(reference)
  return pointerTo(root, section, name, ...rest)
}

function rewrittenTarget(target: unknown, names: ReadonlyMap<string, string>): unknown {
  const name = names.get(mappedComponent(target) ?? '')
  if (name === undefined) return target
  return pointerTo('components', 'schemas', name)
}

/** Gives each discriminator a mapping to the renamed schemas that it finds by their names alone. */
function mapRenamed(paths: Node, components: Components, names: ReadonlyMap<string, string>): void {
  const map = (schema: Node, keys: string[]) =>
    mapByName(
      schema,
      keys.filter((key) => names.has(key)),
    )
  const all = Object.values(components).map((section) => Object.values(section))
  walk([paths, all], (node) => {
    if (!isNode(node['discriminator'])) return
    const alternatives = [...listAt(node, 'oneOf'), ...listAt(node, 'anyOf')]
    map(
      node,
      alternatives.flatMap((member) =>
        isNode(member) && typeof member['$ref'] === 'string' ? (componentOf(member['$ref']) ?? []) : [],
      ),
    )
  })
  const schemas = components['schemas'] ?? {}
  for (const [base, extensions] of extensionsOf(schemas)) {
    map(nodeAt(schemas, split(base)[1]), extensions)
  }
}
