import type { Caller } from '../api/caller.ts'
import { Problem } from '../api/problem.ts'
import {
  type AgentText,
  type ChangeConditions,
  type ChangedAgent,
  type ChangePlan,
  changeAgent,
  planChange,
  type StoredAgent,
} from './change.ts'
import { type AgentsDeps, createCreations } from './create.ts'
import { mustRefuse, refuseBreakingChange } from './dependents.ts'
import { findAgent } from './queries.ts'
import { readSecretChanges, rejectUnknownMasks, showSupplied } from './secrets/secret-change.ts'
import { type AgentValues, decideUpdate, toValues } from './values.ts'

export type Agents = ReturnType<typeof createAgents>

export function createAgents(deps: AgentsDeps) {
  const { sql, secrets, now, newId } = deps

  const prepareUpdate = async (
    caller: Caller,
    id: string,
    body: AgentValues,
    { expectedRevisions, refuseIfDependents, bulkId, mayChangeOrigin }: ChangeConditions,
  ) => {
    const isRefused = await mustRefuse(sql.of(caller.teamId), caller.teamId, id, refuseIfDependents)
    const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
    const values = toValues(body, changes, mayChangeOrigin)
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
      const found = await findAgent(sql.of(caller.teamId), caller.teamId, id, includeScores)
      if (!found) throw new Problem('agent_not_found')
      return found
    },

    async update(
      caller: Caller,
      id: string,
      body: AgentValues,
      conditions: ChangeConditions,
    ): Promise<ChangedAgent> {
      const { changes, request, decide } = await prepareUpdate(caller, id, body, conditions)
      const changed = await changeAgent(sql.of(caller.teamId), request, decide)
      return { ...changed, text: showSupplied(changed.text, changes) }
    },

    /** What an update would do now. */
    async planUpdate(
      caller: Caller,
      id: string,
      body: AgentValues,
      conditions: ChangeConditions,
    ): Promise<ChangePlan> {
      const { request, decide } = await prepareUpdate(caller, id, body, conditions)
      return planChange(sql.of(caller.teamId), request, decide)
    },
  }
}
