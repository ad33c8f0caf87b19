import { decideUpdate, toValues } from '../../agent/agents.ts'
import { type Change, changeLockedAgent, type Decide, type StoredAgent } from '../../agent/change.ts'
import { insertAgent, type SetKey } from '../../agent/change-statement.ts'
import { type ColumnValues, readNestedValues } from '../../agent/columns.ts'
import { changedColumns } from '../../agent/compare.ts'
import { prepareCreation } from '../../agent/create.ts'
import { type ComparedState, findAgentAt, hasChanged, stateOf } from '../../agent/history/past-agent.ts'
import type { Agent, AgentCreate } from '../../agent/schema.ts'
import { readSecretChanges } from '../../agent/secrets/secret-change.ts'
import type { Caller } from '../../api/caller.ts'
import { RequestValidationError, type ValidationError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { isMaskShaped } from '../../platform/crypto/secrets.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { increaseSetVersion, planAgent } from './queries.ts'
import type { AgentSpec, DriftedField, FieldChange } from './schema.ts'

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

interface MergeRequest extends WriteRequest {
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
interface AppliedSpec {
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
  const change = { caller, id, set, expectedRevisions, isDryRun }
  const result = await inSpec(() => changeLockedAgent(core, sql, change, decide))
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

/** The agent at a revision. Undefined if the team has no such agent, or the agent has no such revision. */
async function stateAt(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<ComparedState | undefined> {
  const past = await findAgentAt(sql, teamId, id, revision, false)
  return past && stateOf(past)
}

function liveState({ agent, secretRevisions }: StoredAgent): ComparedState {
  const { api_key, github_token } = secretRevisions
  return { agent, api_key_revision: api_key, github_token_revision: github_token, redacted: [] }
}

/** Whether the desired value of a field is the one that the set applied. Of a value that was removed from history
 * that is not known, and of a secret neither. */
function isAppliedValue(base: ComparedState, field: string, values: ColumnValues): boolean {
  return !base.redacted.includes(field) && !(field in changedColumns(base.agent, values))
}

type FieldDrift = Pick<DriftedField, 'field' | 'applied' | 'live' | 'secret_changed'>

/** Those of the fields that differ between what a set applied and a later revision. None if the agent was deleted
 * since. */
export async function findDrift(
  sql: Statements,
  teamId: string,
  id: string,
  {
    appliedRevision,
    revision,
    fields,
  }: { appliedRevision: number; revision: number; fields: readonly string[] },
): Promise<FieldDrift[]> {
  const applied = await stateAt(sql, teamId, id, appliedRevision)
  const live = await stateAt(sql, teamId, id, revision)
  if (!applied || !live) return []
  return fields
    .filter((field) => hasChanged(field as keyof Agent, applied, live))
    .map((field) => ({
      field,
      applied: shown(applied.agent, field),
      live: shown(live.agent, field),
      secret_changed:
        field === 'api_key' ||
        (field === 'white_box_config' && applied.github_token_revision !== live.github_token_revision),
    }))
}

/** The value of a field for a response. Not even the mask of a key. */
function shown(agent: Agent, field: string): unknown {
  return field === 'api_key' ? null : (agent[field as keyof Agent] ?? null)
}

const PLACE = 'spec'

/** The values of a spec. A mask never stands for a secret: a file that has one has lost the secret. */
export function readSpec(spec: AgentSpec): AgentSpec {
  const secrets: [unknown, ...string[]][] = [
    [spec.api_key, 'api_key'],
    [spec.white_box_config?.github_token, 'white_box_config', 'github_token'],
  ]
  const masks = secrets.filter(([value]) => typeof value === 'string' && isMaskShaped(value))
  if (masks.length > 0) {
    throw new RequestValidationError(
      masks.map(([, ...path]) => ({
        loc: ['body', PLACE, ...path],
        msg: 'Value error, a mask is not accepted; send the secret itself, or null to clear it',
        type: 'value_error',
      })),
    )
  }
  return readNestedValues(spec, PLACE)
}

/** A spec that creates an agent. */
function toCreation(spec: AgentSpec): AgentCreate {
  const { agent_name, model_name } = spec
  if (agent_name !== undefined && model_name !== undefined) return { ...spec, agent_name, model_name }
  throw new RequestValidationError(
    Object.entries({ agent_name, model_name })
      .filter(([, value]) => value === undefined)
      .map(([name]) => ({ loc: ['body', PLACE, name], msg: 'Field required', type: 'missing' })),
  )
}

/** Runs work whose validation errors name the fields of an agent as if they were those of the body. */
async function inSpec<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    throw new RequestValidationError(error.errors.map(relocate))
  }
}

function relocate({ loc: [part = 'body', ...path], msg, type }: ValidationError): ValidationError {
  return { loc: [part, PLACE, ...path], msg, type }
}
