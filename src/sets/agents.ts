import type { Agent } from '../contract/agent.ts'
import type { AgentSpec, DriftedField, FieldChange } from '../contract/configuration-set.ts'
import type { Statements } from '../platform/database/database.ts'
import type { Caller } from '../platform/identity/identity.ts'
import type { SetKey } from './store.ts'

/** A field whose value differs from the desired one. */
export interface Difference {
  field: string
  /** Another writer has changed the field since the set applied it. */
  isDrifted: boolean
  /** The desired value is the one that the set applied before. */
  isApplied: boolean
}

interface SetRequest {
  caller: Caller
  set: SetKey
  spec: AgentSpec
  isDryRun: boolean
}

interface AppliedSpec {
  id: string
  agent: Agent
  revision: number
  changes: FieldChange[]
  credentialWarnings: readonly string[]
}

/** What sets need of agents. */
export interface ManagedAgents {
  lock: (sql: Statements, teamId: string, id: string) => Promise<void>
  /** Locks the agent, and makes writers try again that have read its owners. */
  changeOwners: (sql: Statements, teamId: string, id: string) => Promise<void>
  readSpec: (spec: AgentSpec) => AgentSpec
  create: (sql: Statements, request: SetRequest) => Promise<AppliedSpec>
  merge: (
    sql: Statements,
    request: SetRequest & {
      id: string
      expectedRevisions: number[] | null
      drift: { appliedRevision: number; fields: readonly string[] } | undefined
      changesOwnership: boolean
      check: (differences: Difference[]) => void
    },
  ) => Promise<AppliedSpec>
  /** Those of the fields that differ between the two revisions. */
  findDrift: (
    sql: Statements,
    teamId: string,
    id: string,
    compared: { appliedRevision: number; revision: number; fields: readonly string[] },
  ) => Promise<Pick<DriftedField, 'field' | 'applied' | 'live' | 'secret_changed'>[]>
}
