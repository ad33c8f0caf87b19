import type { StoredAgent } from '../../agent/change.ts'
import { type ColumnValues, readNestedValues } from '../../agent/columns.ts'
import { changedColumns } from '../../agent/compare.ts'
import { type ComparedState, findAgentAt, hasChanged, stateOf } from '../../agent/history/past-agent.ts'
import type { Agent, AgentCreate } from '../../agent/schema.ts'
import { RequestValidationError, type ValidationError } from '../../api/problem.ts'
import { isMaskShaped } from '../../platform/crypto/secrets.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import type { AgentSpec, DriftedField } from './schema.ts'

/** The agent at a revision. Undefined if the team has no such agent, or the agent has no such revision. */
export async function stateAt(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
): Promise<ComparedState | undefined> {
  const past = await findAgentAt(sql, teamId, id, revision, false)
  return past && stateOf(past)
}

export function liveState({ agent, secretRevisions }: StoredAgent): ComparedState {
  const { api_key, github_token } = secretRevisions
  return { agent, api_key_revision: api_key, github_token_revision: github_token, redacted: [] }
}

/** Whether the desired value of a field is the one that the set applied. Of a value that was removed from history
 * that is not known, and of a secret neither. */
export function isAppliedValue(base: ComparedState, field: string, values: ColumnValues): boolean {
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
export function shown(agent: Agent, field: string): unknown {
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
export function toCreation(spec: AgentSpec): AgentCreate {
  const { agent_name, model_name } = spec
  if (agent_name !== undefined && model_name !== undefined) return { ...spec, agent_name, model_name }
  throw new RequestValidationError(
    Object.entries({ agent_name, model_name })
      .filter(([, value]) => value === undefined)
      .map(([name]) => ({ loc: ['body', PLACE, name], msg: 'Field required', type: 'missing' })),
  )
}

/** Runs work whose validation errors name the fields of an agent as if they were those of the body. */
export async function inSpec<Result>(work: () => Promise<Result>): Promise<Result> {
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
