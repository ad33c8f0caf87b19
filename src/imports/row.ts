import type { CardSignature } from '../contract/card-signature.ts'
import type { AgentImport } from '../contract/imports.ts'
import type { ValidationError } from '../contract/validation-error.ts'

/** The name of a field, and the names of members within it. */
export type MemberPath = readonly string[]

/** An agent of an import, whatever format it came in. */
export interface ImportRow {
  /** Identity across the imports of a team. Never the name. Null if it is missing or not valid: `faults` then says why. */
  readonly externalKey: string | null
  /** Fields of a creation, not yet validated. A field that is absent keeps its value in an update. */
  readonly fields: Record<string, unknown>
  /** The members that the row sets of fields that it does not have as a whole, such as `agent_params.temperature`: an update keeps
   * the other members. */
  readonly members?: readonly MemberPath[]
  /** Fields that only a creation sets, such as a model name that a card does not have. An update does not touch them. */
  readonly onCreate?: Record<string, unknown>
  /** The values were chosen by a third party: the server of a card or of a catalog. An update must not send a stored secret to
   * another origin, even if the caller has the permission `agent:secret`: the caller has not seen the new URL. */
  readonly isForeign?: boolean
  /** The result for the signatures of a card. Absent for other rows. The report of the import shows it. */
  readonly signature?: CardSignature
  readonly warnings: readonly string[]
  /** What was found while reading, `loc` relative to the row. */
  readonly faults: readonly ValidationError[]
  /** The line of the row in its file, from 1. Null if the format has no lines. */
  readonly line: number | null
  /** The time to store as `import_metadata.imported_at` if the row creates or changes its agent, Unix time in seconds. It is no
   * change by itself. Null: `import_metadata` of the row is stored as it is. */
  readonly importedAt: number | null
}

/** The members of a JSON body except `rows`: a card or a catalog, and options. Their schema has been checked. */
export type ImportRequest = Omit<AgentImport, 'rows'>

/** Reads a card or a catalog. Throws RequestValidationError or Problem if it cannot be read as a whole. */
export type ReadRows = (
  request: ImportRequest,
  context: { teamId: string; signal: AbortSignal },
) => Promise<readonly ImportRow[]>
