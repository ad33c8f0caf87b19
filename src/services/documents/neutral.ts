import { extensionsOf, mapByName, mappedComponent, split } from './references.ts'
import { isNode, listAt, type Node, nodeAt, pointerTo, walk } from './tree.ts'

/** Writes a document as the linter wants it where that says the same. */
export function neutralise(document: Node): void {
  const schemas = nodeAt(nodeAt(document, 'components'), 'schemas')
  const nodes: Node[] = []
  walk(document, (node) => void nodes.push(node))
  // From the inside: what becomes simple there may be all that stands around it.
  for (const node of nodes.toReversed()) {
    // A base for references, where every reference is written in full.
    for (const keyword of ['$id', '$anchor', '$schema']) {
      if (typeof node[keyword] === 'string') delete node[keyword]
    }
    if (typeof node['$ref'] === 'string') separateSiblings(node, node['$ref'])
    else for (const keyword of ['allOf', 'anyOf', 'oneOf']) simplify(node, keyword)
    if (isNode(node['discriminator'])) spellMapping(nodeAt(node['discriminator'], 'mapping'), schemas)
    settleRange(node, 'minimum', 'exclusiveMinimum', (bound, exclusive) => exclusive >= bound)
    settleRange(node, 'maximum', 'exclusiveMaximum', (bound, exclusive) => exclusive <= bound)
  }
  mapExtensions(schemas)
}

/** The linter sees who extends a base, and takes those who extend these for unused: a mapping that says what holds anyway
 * keeps them. */
function mapExtensions(schemas: Node): void {
  for (const [base, extensions] of extensionsOf(schemas)) {
    const isDirect = (key: string) =>
      listAt(nodeAt(schemas, split(key)[1]), 'allOf').some(
        (part) => isNode(part) && mappedComponent(part['$ref']) === base,
      )
    mapByName(
      nodeAt(schemas, split(base)[1]),
      extensions.filter((key) => key !== base && !isDirect(key)),
    )
  }
}

/** A mapping may name a schema without saying where it is, which the linter takes for a file. */
function spellMapping(mapping: Node, schemas: Node): void {
  for (const [value, target] of Object.entries(mapping)) {
    if (typeof target === 'string' && Object.hasOwn(schemas, target)) {
      mapping[value] = pointerTo('components', 'schemas', target)
    }
  }
}

const IN_SCHEMAS = /^#\/components\/schemas\/|\/schema(\/|$)|\/properties\//

/** A schema that refers to another and adds to it. Elsewhere only a description may stand beside a reference. */
function separateSiblings(node: Node, $ref: string): void {
  const siblings = Object.keys(node).filter((key) => key !== '$ref')
  if (siblings.length === 0) return
  if (!IN_SCHEMAS.test($ref)) {
    for (const sibling of siblings) delete node[sibling]
    return
  }
  delete node['$ref']
  node['allOf'] = [...listAt(node, 'allOf'), { $ref }]
}

/** One alternative is none, an empty one is any, and two that are the same are one. */
function simplify(node: Node, keyword: string): void {
  const members = node[keyword]
  if (!Array.isArray(members)) return
  const isAny = (member: unknown) => member === true || (isNode(member) && Object.keys(member).length === 0)
  if (keyword !== 'allOf' && members.some(isAny)) {
    delete node[keyword]
    return
  }
  const texts = members.map((member) => JSON.stringify(member))
  const kept = members.filter(
    (member, index) => !isAny(member) && texts.indexOf(texts[index] as string) === index,
  )
  if (kept.length > 1 || (kept.length === 1 && isNode(node['discriminator']))) {
    node[keyword] = kept
    return
  }
  delete node[keyword]
  const [only] = kept
  if (!isNode(only)) return
  if (Object.keys(node).length === 0) Object.assign(node, only)
  else node['allOf'] = [...listAt(node, 'allOf'), only]
}

function settleRange(
  node: Node,
  keyword: string,
  exclusiveKeyword: string,
  isStricter: (bound: number, exclusive: number) => boolean,
): void {
  const bound = node[keyword]
  const exclusive = node[exclusiveKeyword]
  if (typeof bound !== 'number' || typeof exclusive !== 'number') return
  delete node[isStricter(bound, exclusive) ? keyword : exclusiveKeyword]
}
