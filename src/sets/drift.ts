import type { StoredAgent } from '../agents/change-agent.ts'
import type { ColumnValues } from '../agents/columns.ts'
import { changedColumns } from '../agents/compare.ts'
import { findAgentAt } from '../agents/history/past-agent.ts'
import { type ComparedState, hasChanged, stateOf } from '../agents/history/state.ts'
import type { Agent } from '../contract/agent.ts'
import type { DriftedField } from '../contract/configuration-set.ts'
import type { Statements } from '../platform/database/database.ts'

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
