import {
  listAt,
  type Node,
  nodeAt,
  segmentsOf,
  valueAt,
} from '../../../src/features/services/document/document.ts'
import { isObject } from '../../../src/platform/json.ts'

/** A part of a document, and the document that its references lead into. */
export interface Said {
  document: Node
  part: unknown
}

/** Where two parts do not say the same, the names of components aside; undefined where they do. */
export function findDifference(one: Said, other: Said): string | undefined {
  const met = new Set<string>()

  const compare = (
    a: unknown,
    b: unknown,
    place: string,
    names: (string | undefined)[] = [],
  ): string | undefined => {
    if (!isObject(a) || !isObject(b)) {
      if (Array.isArray(a) && Array.isArray(b)) {
        return compareMembers(Object.fromEntries(a.entries()), Object.fromEntries(b.entries()), place)
      }
      return a === b ? undefined : `${place}: ${JSON.stringify(a)} is now ${JSON.stringify(b)}`
    }
    if (typeof a['$ref'] === 'string' && typeof b['$ref'] === 'string')
      return follow(a['$ref'], b['$ref'], place)
    if (!isObject(a['discriminator']) || !isObject(b['discriminator'])) return compareMembers(a, b, place)
    const { discriminator: _, ...plainA } = a
    const { discriminator: __, ...plainB } = b
    return (
      compareMembers(plainA, plainB, place) ??
      compareMembers(
        choicesOf(one.document, a, names[0]),
        choicesOf(other.document, b, names[1]),
        `${place}.discriminator`,
      )
    )
  }
  const compareMembers = (a: Node, b: Node, place: string): string | undefined => {
    const [keys, others] = [a, b].map((node) => Object.keys(node).toSorted().join(' '))
    if (keys !== others) return `${place}: ${keys} is now ${others}`
    for (const key of Object.keys(a)) {
      const difference = compare(a[key], b[key], `${place}.${key}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  const follow = (from: string, to: string, place: string): string | undefined => {
    if (met.has(`${from} ${to}`)) return undefined
    met.add(`${from} ${to}`)
    const [a, b] = [valueAt(one.document, segmentsOf(from)), valueAt(other.document, segmentsOf(to))]
    if (a === undefined || b === undefined) return `${place}: ${from} is now ${to}, which leads nowhere`
    return compare(a, b, `${place} > ${to}`, [segmentsOf(from).at(-1), segmentsOf(to).at(-1)])
  }
  return compare(one.part, other.part, '')
}

/** By value of the discriminator, the schema that it chooses: mapped, one of the alternatives, or who extends it. */
function choicesOf(document: Node, schema: Node, name: string | undefined): Node {
  const { propertyName, mapping = {} } = nodeAt(schema, 'discriminator')
  const mapped = Object.entries(mapping as Record<string, string>)
  const alternatives = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')].map(refOf)
  const byName = [...alternatives, ...(name === undefined ? [] : extending(document, refOfSchema(name)))]
    .filter((reference) => reference !== undefined)
    .filter((reference) => !mapped.some(([, target]) => target === reference))
    .map((reference) => [segmentsOf(reference).at(-1), reference])
  const chosen = [...byName, ...mapped].map(([value, $ref]) => [value, { $ref }])
  return { propertyName, ...Object.fromEntries(chosen) }
}

function extending(document: Node, base: string, known = new Set<string>()): Set<string> {
  for (const [name, schema] of Object.entries(nodeAt(nodeAt(document, 'components'), 'schemas'))) {
    const reference = refOfSchema(name)
    if (
      known.has(reference) ||
      !isObject(schema) ||
      !listAt(schema, 'allOf').some((part) => refOf(part) === base)
    )
      continue
    known.add(reference)
    extending(document, reference, known)
  }
  return known
}

const refOfSchema = (name: string) => `#/components/schemas/${name}`

function refOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'] : undefined
}
