import { isObject } from '../../../platform/json.ts'

/** An object of a parsed document. */
export type Node = Record<string, unknown>

/** The object under a key; an empty one where there is none. */
export function nodeAt(parent: Node, key: string): Node {
  const value = parent[key]
  return isObject(value) ? value : {}
}

export function listAt(parent: Node, key: string): unknown[] {
  const value = parent[key]
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : fallback
}

/** Keys whose members are named by the author of the document: a property may be called `example` or `$ref`. */
const NAMED = new Set(
  `properties patternProperties $defs definitions dependentSchemas schemas responses parameters requestBodies headers
  examples links callbacks pathItems paths content encoding`.split(/\s+/),
)

/** Keys that hold data, in which no keyword has a meaning. */
export const DATA = new Set(['example', 'examples', 'default', 'const', 'enum', 'value', 'mapping'])

/** Visits every object of a document that is not data, parents first. */
export function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (isObject(value)) {
    visit(value)
    for (const key in value) {
      const member = value[key]
      if (typeof member !== 'object' || member === null) continue
      if (NAMED.has(key) && isObject(member)) for (const name in member) walk(member[name], visit)
      else if (!DATA.has(key) && !key.startsWith('x-')) walk(member, visit)
    }
  }
}

/** The segments of `#/components/schemas/A~1B` or of a pointer without `#`. */
export function segmentsOf(pointer: string): string[] {
  const segments = pointer.replace(/^#/, '').split('/').slice(1)
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

/** Longer chains of references are treated as loops. */
const MAX_HOPS = 32

/** Follows `$ref`s to the final object. Undefined if there is none. */
export function resolve(root: Node, value: unknown): Node | undefined {
  let target = value
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isObject(target)) return undefined
    if (typeof target['$ref'] !== 'string') return target
    target = valueAt(root, segmentsOf(target['$ref']))
  }
  return undefined
}

function decode(segment: string): string {
  const unescape = (text: string) => text.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return unescape(decodeURIComponent(segment))
  } catch {
    return unescape(segment)
  }
}

/** As a path item names them. TRACE is not forwarded. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

export type Method = Uppercase<(typeof METHODS)[number]>

/** The parameter of an operation that has the id of an agent. The name of a header is in lower case. */
export interface AgentParameter {
  in: 'path' | 'query' | 'header'
  name: string
}

/** An operation that a service declares in its document and the console mounts. */
export interface DeclaredOperation {
  service: string
  method: Method
  /** As the service declares it: `/v1/campaigns/{id}`. */
  path: string
  /** As in the combined document. */
  operationId: string
  /** Lower-case names of the headers that the operation declares as parameters. */
  requestHeaders: string[]
  /** Lower-case names of the headers that its responses declare. */
  responseHeaders: string[]
  /** Whether it declares a response from 300 to 399 other than 304. */
  redirects: boolean
  /** The agent that the service calls because of this operation; absent if it declares none. */
  agent?: AgentParameter
}

/** By section, then by name. */
export type Components = Record<string, Node>

export interface Tag {
  readonly name: string
  readonly description: string
}

/** What the console publishes of a service's document. */
export interface PublishedParts {
  /** The tag that the services file gives the service. In the API reference it is a group of tags. */
  area: string
  /** The service itself: the second tag of its operations. */
  tag: Tag
  paths: Node
  components: Components
}

/** A valid document of a service, ready to be combined with others. */
export interface PreparedDocument {
  readonly service: string
  readonly title: string
  readonly version: string
  readonly operations: readonly DeclaredOperation[]
  /** A sentence for each declared operation that is not mounted. */
  readonly leftOut: readonly string[]
  /** The published parts as JSON: only worker threads parse them. */
  readonly parts: Uint8Array
}

/** Why a document cannot be used, in sentences. */
export class DocumentInvalid extends Error {
  override readonly name = 'DocumentInvalid'
  readonly errors: readonly string[]

  constructor(...errors: string[]) {
    super(errors.join(' '))
    this.errors = errors
  }
}

/** Maximum size of a document. */
export const MAX_BYTES = 8 * 1024 * 1024

/** Maximum number of errors reported for a document. */
export const MAX_ERRORS = 20
