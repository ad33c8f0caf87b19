import { Problem } from '../../contract/problem.ts'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { defineTool } from '../tool.ts'
import { Id, Input, normalId, Reason, Revision, withReason } from './inputs.ts'
import { CHANGED, changedResult } from './update-agent.ts'

export const restoreRevision = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'restore_revision',
      title: 'Restore revision',
      description:
        'Makes a new revision with the field values of an old one. Secrets, trust stage and scores stay as they are.',
      permission: 'agent:write',
      effect: 'replaces',
      input: Input({
        id: Id,
        restore: Revision('The old revision.'),
        revision: Revision('The current revision, from get_agent or search_agents.'),
        reason: Reason,
      }),
      output: CHANGED,
      question: async ({ id: given, restore, revision }, { caller, withPlace }) => {
        const id = normalId(given)
        const { changes } = await withPlace('reads', undefined, async () => {
          const current = await agents.read(caller, id, { includeScores: false })
          if (current.revision !== revision) throw new Problem('revision_stale')
          return agents.diff(caller, id, revision, restore)
        })
        if (changes.length === 0) return undefined
        const fields = changes.map(({ field }) => field).join(', ')
        return `Restore revision ${restore} of agent ${id}, which is at revision ${revision}? Fields that differ: ${fields}.`
      },
      run: async ({ id: given, restore, revision, reason }, { caller, withPlace }) => {
        const id = normalId(given)
        const changer = withReason(caller, reason, agents)
        return changedResult(
          id,
          await withPlace('writes', id, () => agents.restore(changer, id, restore, revision)),
        )
      },
    },
    confirmations,
  )
