import type { AgentUpdate } from '../../contract/agent.ts'
import { Problem } from '../../contract/problem.ts'
import type { Caller } from '../../platform/identity.ts'
import {
  type AgentText,
  type Change,
  type ChangeConditions,
  type ChangedAgent,
  type ChangePlan,
  changeAgent,
  planChange,
  type StoredAgent,
} from '../change-agent.ts'
import type { ColumnValues } from '../columns.ts'
import { changedColumns, describeColumns } from '../compare.ts'
import { mustRefuse, refuseBreakingChange } from '../delegation/refusal.ts'
import { inspect, refuseFaults } from '../secrets/inspect.ts'
import { requireSecretForNewOrigin } from '../secrets/new-origin.ts'
import {
  changedSecret,
  readSecretChanges,
  rejectUnknownMasks,
  type SecretChanges,
  showSupplied,
} from '../secrets/secret-change.ts'
import { type AgentsDeps, createCreations } from './create.ts'
import { findAgent } from './store.ts'
import { toValues } from './values.ts'

export type Agents = ReturnType<typeof createAgents>

export function createAgents(deps: AgentsDeps) {
  const { sql, secrets, now, newId } = deps

  const prepareUpdate = async (
    caller: Caller,
    id: string,
    body: AgentUpdate,
    { expectedRevisions, refuseIfDependents, bulkId }: ChangeConditions,
  ) => {
    const isRefused = await mustRefuse(sql, caller.teamId, id, refuseIfDependents)
    const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
    const values = toValues(body, changes)
    return {
      changes,
      request: { caller, id, expectedRevisions, now: Math.floor(now() / 1_000), auditId: newId(), bulkId },
      decide: (stored: StoredAgent) => {
        rejectUnknownMasks(changes, stored.agent)
        const change = decideUpdate(caller, stored, values, changes)
        if (change) refuseBreakingChange(isRefused, change.columns)
        return change
      },
    }
  }

  return {
    ...createCreations(deps),

    async read(caller: Caller, id: string, { includeScores = false } = {}): Promise<AgentText> {
      const found = await findAgent(sql, caller.teamId, id, includeScores)
      if (!found) throw new Problem('agent_not_found')
      return found
    },

    async update(
      caller: Caller,
      id: string,
      body: AgentUpdate,
      conditions: ChangeConditions,
    ): Promise<ChangedAgent> {
      const { changes, request, decide } = await prepareUpdate(caller, id, body, conditions)
      const changed = await changeAgent(sql, request, decide)
      return { ...changed, text: showSupplied(changed.text, changes) }
    },

    /** What an update would do now. */
    async planUpdate(
      caller: Caller,
      id: string,
      body: AgentUpdate,
      conditions: ChangeConditions,
    ): Promise<ChangePlan> {
      const { request, decide } = await prepareUpdate(caller, id, body, conditions)
      return planChange(sql, request, decide)
    },
  }
}

/** Undefined when the update changes nothing. */
function decideUpdate(
  caller: Caller,
  stored: StoredAgent,
  values: ColumnValues,
  changes: SecretChanges,
): Change | undefined {
  const columns = changedColumns(stored.agent, values)
  const findings = inspect(columns)
  refuseFaults(findings, stored.namedSecrets)
  requireSecretForNewOrigin(caller, stored, columns, changes)
  const token = changedSecret('github_token', changes.github_token, stored)
  const apiKey = changedSecret('api_key', changes.api_key, stored)
  // `white_box_config` includes the token: a new token is a change of the field.
  if (Object.keys(token).length > 0) columns['white_box_config'] = values.white_box_config
  const { fields, before } = describeColumns(stored, columns)
  if (Object.keys(apiKey).length > 0) {
    fields.push('api_key')
    before['api_key_mask'] = stored.agent.api_key ?? null
    before['api_key_revision'] = stored.secretRevisions.api_key
  }
  if (fields.length === 0) return undefined
  return {
    ...{ action: 'updated', fields, before },
    columns: { ...columns, ...token, ...apiKey },
    credentialWarnings: findings.warnings,
  }
}
