import { DocumentInvalid } from '../document/invalid.ts'
import type { Components, DeclaredOperation, PublishedParts } from '../document/prepared.ts'
import { extensionsOf, mappedSchema, membersOf } from '../document/references.ts'
import { isNode, type Node, nodeAt, pointerTo, segmentsOf, textOf, valueAt } from '../document/tree.ts'
import type { SelectedOperation } from '../select/operations.ts'
import { publishedName } from './names.ts'

interface Renaming {
  operations: DeclaredOperation[]
  /** Renames what an object refers to: references, mappings of discriminators, and ids of operations and links. */
  visit: (node: Node) => void
  /** The components under their published names. Called after all objects were visited. */
  finish: () => Components
}

/** Gives components and operations their published names. */
export function createRenaming(
  service: string,
  parts: PublishedParts,
  selected: readonly SelectedOperation[],
): Renaming {
  const operations = nameOperations(service, selected)
  const mounted = new Map(selected.map(({ node }, n) => [node, operations[n]?.operationId]))
  // A link leads to the first operation with its id.
  const ids = new Map([...mounted].map(([node, id]) => [node['operationId'], id] as const).toReversed())
  const schemas = parts.components['schemas'] ?? {}
  const extensions = new Map(
    [...extensionsOf(schemas)].map(([base, names]) => [schemas[base], names] as const),
  )

  const renamedReference = (reference: string): string => {
    const [root = '', section = '', name = '', ...rest] = segmentsOf(reference)
    if (valueAt(parts, segmentsOf(reference)) === undefined) {
      throw new DocumentInvalid(`The reference ${reference} leads to a part that is not published.`)
    }
    return root === 'components' ? pointerTo(root, section, publishedName(service, name), ...rest) : reference
  }
  /** Which schema each value of a discriminator selects. Without a mapping the value is the name of the schema; here the names
   * change, and the values on the wire do not. */
  const completeMapping = (schema: Node, discriminator: Node): Node => {
    const declared = Object.entries(nodeAt(discriminator, 'mapping')).map(
      ([value, target]) => [value, mappedSchema(target)] as const,
    )
    const mapped = new Set(declared.map(([, name]) => name))
    const byName = [...(extensions.get(schema) ?? []), ...membersOf(schema, 'oneOf', 'anyOf')]
    const all = [
      ...byName.filter((name) => !mapped.has(name)).map((name) => [name, name] as const),
      ...declared,
    ]
    return Object.fromEntries(
      all
        .filter(([, name]) => name !== undefined && Object.hasOwn(schemas, name))
        .map(([value, name = '']) => [
          value,
          pointerTo('components', 'schemas', publishedName(service, name)),
        ]),
    )
  }

  return {
    operations,
    visit: (node) => {
      const { $ref, discriminator, operationId } = node
      if (typeof $ref === 'string') node['$ref'] = renamedReference($ref)
      if (isNode(discriminator)) {
        node['discriminator'] = { ...discriminator, mapping: completeMapping(node, discriminator) }
      }
      if (mounted.has(node)) node['operationId'] = mounted.get(node)
      else if (typeof operationId === 'string')
        node['operationId'] = ids.get(operationId) ?? publishedName(service, safeId(operationId))
    },
    finish: () =>
      Object.fromEntries(
        Object.entries(parts.components).map(([section, members]) => [section, renamed(service, members)]),
      ),
  }
}

function nameOperations(service: string, selected: readonly SelectedOperation[]): DeclaredOperation[] {
  const taken = new Set<string>()
  return selected.map(({ declared, node }) => {
    const id = textOf(node['operationId']) || `${declared.method.toLowerCase()}${declared.path}`
    let operationId = publishedName(service, safeId(id))
    while (taken.has(operationId)) operationId += '_'
    taken.add(operationId)
    return { ...declared, operationId }
  })
}

/** An id is a label of metrics and a function of generated clients. */
function safeId(operationId: string): string {
  return operationId.replaceAll(/[^\w.-]+/g, '_')
}

function renamed(service: string, members: Node): Node {
  const named = new Map<string, unknown>()
  for (const [name, member] of Object.entries(members)) {
    const published = publishedName(service, name)
    if (named.has(published)) throw new DocumentInvalid(`Two components would be published as ${published}.`)
    named.set(published, member)
  }
  return Object.fromEntries(named)
}
