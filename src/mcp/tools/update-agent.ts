import { Type } from 'typebox'
import type { AgentUpdate } from '../../contract/agent.ts'
import { oneOf } from '../../contract/fields.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { agentUri } from '../long-values.ts'
import { defineTool } from '../tool.ts'
import { CLEARABLE, UPDATE_FIELDS } from './agent-fields.ts'
import { FieldNames, Id, Input, normalId, Reason, RequestId, Revision, withReason } from './inputs.ts'

/** The result of a tool that changes an agent. The values are not repeated. `revision` is the new one, or the same if nothing
 * changed; `credential_warnings` says where a value looks like a credential. */
export const CHANGED = Type.Object({
  id: Type.String(),
  revision: Type.Integer(),
  changed: FieldNames,
  credential_warnings: FieldNames,
  request_id: RequestId,
})

/** The result of a change that was made. */
export function changedResult(
  id: string,
  { revision, fields, credentialWarnings = [] }: Awaited<ReturnType<AgentFunctions['update']>>,
) {
  const what = fields.length === 0 ? 'was not changed' : `is at revision ${revision}`
  return {
    summary: `Agent ${id} ${what}.`,
    data: { id, revision, changed: fields, credential_warnings: credentialWarnings },
    uri: agentUri(id),
  }
}

export const updateAgent = (agents: AgentFunctions, confirmations: Confirmations) => {
  const toUpdate = (set: object = {}, clear: readonly string[] = []): AgentUpdate => {
    const both = clear.filter((name) => Object.hasOwn(set, name))
    if (both.length > 0) {
      const msg = `set and clear both name ${both.join(', ')}`
      throw new RequestValidationError([{ loc: ['arguments', 'clear'], msg, type: 'value_error' }])
    }
    return agents.checkUpdate({ ...set, ...Object.fromEntries(clear.map((name) => [name, null])) })
  }

  return defineTool(
    {
      name: 'update_agent',
      title: 'Update agent',
      description:
        'Changes fields of an agent; fields that are not named keep their values. It needs the revision that you read, and changes ' +
        'nothing if the agent has changed since. An object replaces the whole field. Secrets and white_box_config cannot be set.',
      permission: 'agent:write',
      effect: 'replaces',
      input: Input({
        id: Id,
        revision: Revision('The current revision, from get_agent or search_agents.'),
        set: Type.Optional(Type.Object(UPDATE_FIELDS, { additionalProperties: false })),
        clear: Type.Optional(Type.Array(oneOf(CLEARABLE), { description: 'Fields that lose their values.' })),
        reason: Reason,
      }),
      output: CHANGED,
      question: async ({ id, revision, set, clear }, { caller, withPlace }) => {
        const update = toUpdate(set, clear)
        const fields = await withPlace('reads', undefined, () =>
          agents.planUpdate(caller, normalId(id), update, revision),
        )
        if (fields.length === 0) return undefined
        return `Change agent ${normalId(id)} at revision ${revision}? Fields: ${fields.join(', ')}.`
      },
      run: async ({ id: given, revision, set, clear, reason }, { caller, withPlace }) => {
        const id = normalId(given)
        const update = toUpdate(set, clear)
        const changer = withReason(caller, reason, agents)
        return changedResult(
          id,
          await withPlace('writes', id, () => agents.update(changer, id, update, revision)),
        )
      },
    },
    confirmations,
  )
}
