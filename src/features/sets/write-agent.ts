import { decideUpdate, toValues } from '../../agent/agents.ts'
import {
  type Change,
  changeLockedAgent,
  type Decide,
  planChange,
  type StoredAgent,
} from '../../agent/change.ts'
import type { SetKey } from '../../agent/change-statement.ts'
import type { ColumnValues } from '../../agent/columns.ts'
import { prepareCreation } from '../../agent/create.ts'
import { type ComparedState, hasChanged } from '../../agent/history/past-agent.ts'
import { insertAgent } from '../../agent/queries.ts'
import type { Agent } from '../../agent/schema.ts'
import { readSecretChanges } from '../../agent/secrets/secret-change.ts'
import type { Caller } from '../../api/caller.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { inSpec, isAppliedValue, liveState, shown, stateAt, toCreation } from './drift.ts'
import { increaseSetVersion, planAgent } from './queries.ts'
import type { AgentSpec, FieldChange } from './schema.ts'

interface WriteRequest {
  caller: Caller
  set: SetKey
  spec: AgentSpec
  /** Nothing is written. */
  isDryRun: boolean
}

/** A field whose value differs from the desired one. */
export interface Difference {
  field: string
  isSecret: boolean
  /** Another writer has changed the field since the set applied it. */
  isDrifted: boolean
  /** The desired value is the one that the set applied before. Never known of a secret. */
  isApplied: boolean
}

export interface MergeRequest extends WriteRequest {
  id: string
  expectedRevisions: number[] | null
  /** The revision that the set applied and the fields of the set that other writers have changed since. Absent:
   * none. */
  drift: { appliedRevision: number; fields: readonly string[] } | undefined
  /** The set takes or gives up fields. */
  changesOwnership: boolean
  /** Called before the write, with the fields that would change. Throws to refuse it. */
  check: (differences: Difference[]) => void
}

/** An agent after a spec was applied. */
export interface AppliedSpec {
  id: string
  agent: Agent
  revision: number
  changes: FieldChange[]
  credentialWarnings: readonly string[]
}

export async function createFromSpec(
  core: Core,
  sql: Statements,
  { caller, set, spec, isDryRun }: WriteRequest,
): Promise<AppliedSpec> {
  const body = toCreation(spec)
  const { record, columns } = await inSpec(async () => prepareCreation(core, caller, body, {}))
  const created = isDryRun
    ? await planAgent(sql, record, columns)
    : await insertAgent(sql, { ...record, set }, { ...columns, set_version: 1 }, undefined)
  if (!created) throw new Error('A creation without an idempotency key returned no agent')
  const agent = JSON.parse(created.text) as Agent
  return {
    id: record.id,
    agent,
    revision: isDryRun ? 0 : record.revision,
    changes: record.fields.map((field) => ({
      field,
      old: null,
      new: shown(agent, field),
      secret_changed:
        field === 'api_key' || (field === 'white_box_config' && columns['github_token_mask'] != null),
      drifted: false,
    })),
    credentialWarnings: record.credentialWarnings,
  }
}

/** Changes an agent that the transaction has locked to the values of a spec. */
export async function mergeSpec(core: Core, sql: Statements, request: MergeRequest): Promise<AppliedSpec> {
  const { caller, id, set, spec, expectedRevisions, drift, changesOwnership, isDryRun } = request
  const { teamId } = caller
  const changes = readSecretChanges(core.secrets, { teamId, agentId: id }, spec)
  const values = toValues(spec, changes, true)
  const base = drift && (await stateAt(sql, teamId, id, drift.appliedRevision))
  let before: Agent | undefined
  let differences: Difference[] = []
  const decide: Decide = (stored) => {
    const change = decideUpdate(caller, stored, values, changes)
    before = stored.agent
    differences = differencesOf(stored, change, values, base && { base, fields: drift.fields })
    request.check(differences)
    if (!change || !changesOwnership) return change
    return { ...change, columns: { ...change.columns, set_version: stored.setVersion + 1 } }
  }
  const change = { caller, id, set, expectedRevisions }
  const result = await inSpec(async () => {
    if (!isDryRun) return changeLockedAgent(core, sql, change, decide)
    const plan = await planChange(core, change, decide)
    return { ...plan, text: plan.text() }
  })
  if (changesOwnership && differences.length === 0 && !isDryRun) await increaseSetVersion(sql, teamId, id)
  const agent = JSON.parse(result.text) as Agent
  return {
    id,
    agent,
    revision: result.revision,
    changes: differences.map(({ field, isSecret, isDrifted }) => ({
      field,
      old: shown(before ?? agent, field),
      new: shown(agent, field),
      secret_changed: isSecret,
      drifted: isDrifted,
    })),
    credentialWarnings: result.credentialWarnings ?? [],
  }
}

interface Drift {
  /** The agent as the set applied it. */
  base: ComparedState
  fields: readonly string[]
}

function differencesOf(
  stored: StoredAgent,
  change: Change | undefined,
  values: ColumnValues,
  drift: Drift | undefined,
): Difference[] {
  const live = liveState(stored)
  return (change?.fields ?? []).map((field) => {
    const isSecret =
      field === 'api_key' ||
      (field === 'white_box_config' && change !== undefined && 'github_token_mask' in change.columns)
    const isDrifted =
      drift !== undefined &&
      drift.fields.includes(field) &&
      hasChanged(field as keyof Agent, drift.base, live)
    const isApplied = isDrifted && !isSecret && isAppliedValue(drift.base, field, values)
    return { field, isSecret, isDrifted, isApplied }
  })
}
