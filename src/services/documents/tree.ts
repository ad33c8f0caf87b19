/** An object of a document. What it holds is only known once it is looked at. */
export type Node = Record<string, unknown>

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty one where there is none: whoever reads it finds nothing. */
export function nodeAt(parent: Node, key: string): Node {
  const value = parent[key]
  return isNode(value) ? value : {}
}

export function listAt(parent: Node, key: string): unknown[] {
  const value = parent[key]
  return Array.isArray(value) ? value : []
}

/** YAML makes a number of `version: 1.0`. */
export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : otherwise
}

/** Members that map names of the author's choosing: a property may well be called `example` or `$ref`. */
const NAMED = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  ...['schemas', 'responses', 'parameters', 'requestBodies', 'headers', 'examples', 'links', 'callbacks'],
  ...['pathItems', 'paths', 'content', 'encoding'],
])

/** Members that hold data, in which nothing has a meaning. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum', 'value', 'mapping'])

/** Visits every object of a document that is not data, parents first. */
export function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (isNode(value)) {
    visit(value)
    for (const key of Object.keys(value)) {
      const member = value[key]
      // Most members are plain values, and there are very many.
      if (typeof member !== 'object' || member === null) continue
      if (NAMED.has(key) && isNode(member)) for (const named of Object.values(member)) walk(named, visit)
      else if (!DATA.has(key) && !key.startsWith('x-')) walk(member, visit)
    }
  }
}

/** A member that was left empty in YAML is null, which means something in data only. */
export function dropEmpty(document: Node): void {
  walk(document, (node) => {
    for (const key of Object.keys(node)) {
      if (node[key] === null && !DATA.has(key) && !key.startsWith('x-')) delete node[key]
    }
  })
}

/** The segments of `#/components/schemas/A~1B` or of a pointer without `#`. */
export function segmentsOf(pointer: string): string[] {
  const segments = pointer.replace(/^#/, '').split('/').slice(1)
  // Most pointers have nothing to decode, and there are very many.
  return /[%~]/.test(pointer) ? segments.map(decode) : segments
}

export function pointerTo(...segments: string[]): string {
  return `#/${segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined
    value = (value as Node)[segment]
  }
  return value
}

/** Longer chains are loops. */
const MOST_HOPS = 32

/** What a reference leads to in the end; undefined where it leads nowhere. */
export function resolve(root: Node, value: unknown): Node | undefined {
  let target = value
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    if (!isNode(target)) return undefined
    if (typeof target['$ref'] !== 'string') return target
    target = valueAt(root, segmentsOf(target['$ref']))
  }
  return undefined
}

function decode(segment: string): string {
  return decodePercent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decodePercent(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** `structuredClone` takes several times as long. */
export function copyOf<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyOf) as Value
  if (!isNode(value)) return value
  const copy: Node = {}
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key])
  return copy as Value
}
