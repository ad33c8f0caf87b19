import { type Static, Type } from 'typebox'
import { integer, oneOf, UnixSeconds, Uuid } from './fields.ts'
import { REVISION_ACTIONS } from './history.ts'

/** What an event tells of: a revision, or that there will be no more. */
export const EVENT_ACTIONS = [...REVISION_ACTIONS, 'deleted'] as const
export type EventAction = (typeof EVENT_ACTIONS)[number]

const EVENT_TYPES = EVENT_ACTIONS.map((action) => `console.agent.${action}` as const)

/** CloudEvents 1.0 in its JSON format. Names of fields, never their values: whoever needs those reads the agent at
 * that revision, with the permission it takes. */
export const AgentEvent = Type.Object(
  {
    specversion: Type.Unsafe<'1.0'>({ type: 'string', const: '1.0' }),
    id: Type.String({ description: '`<agent_id>:<revision>`: the same event never has another' }),
    source: Type.Unsafe<'/v1/agent-configurations'>({ type: 'string', const: '/v1/agent-configurations' }),
    type: oneOf(EVENT_TYPES),
    subject: Type.String({ format: 'uuid', description: 'The agent' }),
    time: Type.String({ format: 'date-time' }),
    datacontenttype: Type.Unsafe<'application/json'>({ type: 'string', const: 'application/json' }),
    data: Type.Object({
      team_id: Uuid,
      agent_id: Uuid,
      revision: integer({
        minimum: 1,
        description: 'Counts from 1 without a gap; a deletion comes after the last revision there was',
      }),
      action: oneOf(EVENT_ACTIONS),
      fields: Type.Array(Type.String(), { description: 'The fields that changed' }),
      changed_by: Uuid,
      changed_at: UnixSeconds,
    }),
  },
  { $id: 'AgentEvent', description: 'A change of an agent' },
)
export type AgentEvent = Static<typeof AgentEvent>
