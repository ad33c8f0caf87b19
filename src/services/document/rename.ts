import { publishedName } from '../file/names.ts'
import { type Components, type DeclaredOperation, DocumentInvalid, type PublishedParts } from './document.ts'
import { extensionsOf, mappedSchema, membersOf } from './references.ts'
import type { SelectedOperation } from './select.ts'
import { isNode, type Node, nodeAt, pointerTo, segmentsOf, textOf, valueAt } from './tree.ts'

type NameOf = (name: string) => string

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
  parts: Pick<PublishedParts, 'paths' | 'components'>,
  selected: readonly SelectedOperation[],
): Renaming {
  const nameOf = (name: string) => publishedName(service, name)
  const operations = nameOperations(nameOf, selected)
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
    return root === 'components' ? pointerTo(root, section, nameOf(name), ...rest) : reference
  }
  /** Which schema each value of a discriminator selects. Without a mapping the value is the name of the schema; here the names
   * change, and the values on the wire do not. */
  const completeMapping = (schema: Node, discriminator: Node): Node => {
    const declared = Object.entries(nodeAt(discriminator, 'mapping'))
    const mapped = new Set(declared.map(([, target]) => mappedSchema(target)))
    const byName = [...(extensions.get(schema) ?? []), ...membersOf(schema, 'oneOf', 'anyOf')]
    const added = byName.filter((name) => !mapped.has(name)).map((name) => [name, name] as const)
    const entries = [...added, ...declared].flatMap(([value, target]) => {
      const name = mappedSchema(target) ?? ''
      return Object.hasOwn(schemas, name) ? [[value, pointerTo('components', 'schemas', nameOf(name))]] : []
    })
    return Object.fromEntries(entries)
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
        node['operationId'] = ids.get(operationId) ?? nameOf(safeId(operationId))
    },
    finish: () => {
      const sections = Object.entries(parts.components)
      return Object.fromEntries(sections.map(([section, members]) => [section, renamed(nameOf, members)]))
    },
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
