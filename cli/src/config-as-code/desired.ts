import { createHash } from 'node:crypto'
import type { PruneStatus } from './project.ts'
import type { SecretUse } from './secrets.ts'

export type Spec = Record<string, unknown>

/** What a document asks for. */
export interface DesiredAgent {
  key: string
  /** As the user names it. */
  file: string
  line: number
  /** With the source of a secret in its place. Exactly the fields that the set owns. */
  spec: Spec
  secrets: readonly SecretUse[]
}

/** A document without a spec: its agent leaves the set. */
export interface RemovedAgent {
  key: string
  file: string
  statusOnPrune: PruneStatus
}

/** Identifies what a document asks for, without its secrets. */
export const digestOf = (spec: Spec): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(spec)))
    .digest('hex')

/** The order of members has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]))
}
