import { upgrade } from '@scalar/openapi-upgrader'
import { DocumentInvalid } from '../document/invalid.ts'
import { isNode, listAt, type Node, textOf, walk } from '../document/tree.ts'

const DROPPED = [
  // They would change how references resolve; the console resolves all of them from the root.
  ...['$id', '$anchor', '$schema'],
  // Addresses and security schemes of the service do not apply at the console.
  ...['servers', 'security'],
]

/** The document in OpenAPI 3.1, without what does not apply at the console. */
export function upgradeDocument(document: Node): Node {
  const version = textOf(document['openapi'] ?? document['swagger'], 'none')
  if (!/^3\.[01]\b/.test(version)) {
    throw new DocumentInvalid(`It declares OpenAPI version ${version}; 3.0 and 3.1 are understood.`)
  }
  const upgraded = version.startsWith('3.0') ? (upgrade(document, '3.1') as unknown as Node) : document
  walk(upgraded, (node) => {
    if (version.startsWith('3.0')) replaceNullable(node)
    for (const keyword of DROPPED) if (node[keyword] !== undefined) delete node[keyword]
  })
  return upgraded
}

/** 3.1 has no `nullable`. The upgrader leaves it where there is no `type` to add null to. */
function replaceNullable(schema: Node): void {
  if (typeof schema['nullable'] !== 'boolean') return
  const isNullable = schema['nullable']
  delete schema['nullable']
  if (!isNullable) return
  for (const keyword of ['oneOf', 'anyOf']) {
    if (isNode(schema[keyword]) || listAt(schema, keyword).length === 0) continue
    schema[keyword] = [...listAt(schema, keyword), { type: 'null' }]
    return
  }
  const values = schema['enum']
  if (Array.isArray(values) && !values.includes(null)) schema['enum'] = [...values, null]
}
