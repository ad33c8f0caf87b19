import type { AgentCreate } from '../contract/agent.ts'
import type { AgentImportItem } from '../contract/imports.ts'
import type { Turns } from '../platform/fairness/turns.ts'
import type { Caller } from '../platform/identity/identity.ts'
import type { CheckedRow } from './valid-rows.ts'

/** What an import needs of agents. */

/** The agent of an external key. */
export interface FoundAgent {
  external_key: string
  id: string
  revision: number
  /** `deleted`: it can be recovered. `gone`: it is being erased, so that the key is free. */
  state: 'present' | 'deleted' | 'gone'
  /** The mask of its GitHub token, if it has one. */
  github_token_mask: string | null
  /** `import_metadata.imported_at`. */
  imported_at: unknown
}

interface Planned {
  revision: number
  fields: readonly string[]
  /** Where a value looks like a credential. */
  credentialWarnings?: readonly string[]
}

export interface Creation extends Planned {
  id: string
  /** The named secrets that the agent refers to and does not have. */
  missingSecrets: readonly string[]
}

interface Conditions {
  expectedRevisions: number[]
  /** Also `import_metadata`, `capabilities` and `skills`. */
  mayChangeOrigin: boolean
  bulkId: string | undefined
}

type Update = (
  caller: Caller,
  id: string,
  fields: CheckedRow['fields'],
  conditions: Conditions,
) => Promise<Planned>

export interface ImportAgents {
  /** The agent as JSON. */
  read: (caller: Caller, id: string) => Promise<{ text: string }>
  find: (teamId: string, externalKeys: readonly string[]) => Promise<FoundAgent[]>
  /** Undefined if another import has created the agent of the external key since. */
  createImported: (
    caller: Caller,
    fields: AgentCreate,
    key: { externalKey: string; replaces: string | null; bulkId: string | undefined },
  ) => Promise<Creation | undefined>
  planImported: (caller: Caller, fields: AgentCreate) => Creation
  update: Update
  planUpdate: Update
}

/** A change that a request with an idempotency key has made. */
export interface DoneChange {
  agent_id: string
  revision: number
  fields: string[]
}

/** A request with an idempotency key, and what it has done so far. */
export interface RepeatableImport {
  id: string
  results: AgentImportItem[] | null
  done: ReadonlyMap<string, DoneChange>
  findDone: (agentId: string) => Promise<DoneChange | undefined>
  storeResults: (results: readonly AgentImportItem[]) => Promise<void>
}

/** Throws if the key was used with another body. */
export type BeginRepeatable = (
  turns: Turns,
  caller: Caller,
  idempotencyKey: string,
  body: object,
) => Promise<RepeatableImport>
