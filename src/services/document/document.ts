import type { Node } from './tree.ts'

/** As a path item names them. TRACE is not forwarded. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

export type Method = Uppercase<(typeof METHODS)[number]>

/** Whether a method only reads. All others may change something. */
export const isRead = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

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
