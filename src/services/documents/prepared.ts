import type { DeclaredOperation } from '../operation.ts'
import type { Components } from './references.ts'
import type { Node } from './tree.ts'

/** A service's document, made ready to be combined with others. It is plain JSON: threads pass it on as text. */
export interface Prepared {
  readonly service: string
  readonly tag: { readonly name: string; readonly description: string }
  readonly title: string
  readonly version: string
  /** What is mounted, and nothing else. */
  readonly paths: Node
  /** By section, what the paths refer to. */
  readonly components: Components
  readonly operations: readonly PreparedOperation[]
  /** Theirs, and those of their callbacks. */
  readonly operationIds: readonly string[]
  /** A sentence for each operation that is not mounted. */
  readonly leftOut: readonly string[]
}

export interface PreparedOperation extends DeclaredOperation {
  /** Statuses that the console may answer with, and the service does not declare. */
  readonly consoleStatuses: readonly string[]
}
