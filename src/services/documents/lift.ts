import { upgrade } from '@scalar/openapi-upgrader'
import { DocumentBroken } from './read.ts'
import { isNode, listAt, type Node, textOf, walk } from './tree.ts'

/** The document in OpenAPI 3.1. */
export function lift(document: Node): Node {
  if (requireKnownVersion(document) === '3.1') return document
  const lifted = upgrade(document, '3.1') as unknown as Node
  walk(lifted, settleNullable)
  return lifted
}

export function requireKnownVersion(document: Node): '3.0' | '3.1' {
  const version = textOf(document['openapi'] ?? document['swagger'], 'none')
  if (/^3\.1\b/.test(version)) return '3.1'
  if (/^3\.0\b/.test(version)) return '3.0'
  throw new DocumentBroken(`It declares OpenAPI version ${version}; 3.0 and 3.1 are understood.`)
}

/** 3.1 has no `nullable`; the upgrader leaves it where there is no type to add null to. */
function settleNullable(schema: Node): void {
  if (typeof schema['nullable'] !== 'boolean') return
  const orNull = schema['nullable']
  delete schema['nullable']
  if (!orNull) return
  for (const keyword of ['oneOf', 'anyOf']) {
    if (isNode(schema[keyword]) || listAt(schema, keyword).length === 0) continue
    schema[keyword] = [...listAt(schema, keyword), { type: 'null' }]
    return
  }
  const values = schema['enum']
  if (Array.isArray(values) && !values.includes(null)) schema['enum'] = [...values, null]
}
