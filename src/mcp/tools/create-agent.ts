import { type TSchema, Type } from 'typebox'
import { IdempotencyKeyHeader } from '../../contract/agent.ts'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { agentUri } from '../long-values.ts'
import { defineTool } from '../tool.ts'
import { ORIGIN_FIELDS, UPDATE_FIELDS } from './agent-fields.ts'
import { Input, Reason, RequestId, withReason } from './inputs.ts'

const { minLength, maxLength, pattern } = IdempotencyKeyHeader.properties['idempotency-key'] as unknown as {
  minLength: number
  maxLength: number
  pattern: string
}

const input = (agent: Record<string, TSchema>, description?: string) =>
  Input({
    idempotency_key: Type.String({
      ...{ minLength, maxLength, pattern },
      description: 'A new text for each new agent, such as a UUID. Repeat it with a repeated call.',
    }),
    agent: Type.Object(agent, {
      ...(description === undefined ? { additionalProperties: false } : { description }),
      required: ['agent_name', 'model_name'],
    }),
    reason: Reason,
  })

export const createAgent = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'create_agent',
      title: 'Create agent',
      description:
        'Creates an agent in the team. A secret is set afterwards, through the API or the browser console.',
      permission: 'agent:write',
      effect: 'adds',
      input: input({ ...UPDATE_FIELDS, ...ORIGIN_FIELDS }),
      // Both tools need the same permission, so that they are always listed together.
      listedInput: input(
        { agent_name: Type.String(), model_name: Type.String(), ...ORIGIN_FIELDS },
        'Further fields: those of set in update_agent.',
      ),
      output: Type.Object({
        id: Type.String(),
        revision: Type.Integer(),
        credential_warnings: Type.Array(Type.String()),
        request_id: RequestId,
      }),
      run: async ({ idempotency_key: key, agent, reason }, { caller, withPlace }) => {
        const body = agents.checkCreate(agent)
        const creator = withReason(caller, reason, agents)
        const created = await withPlace('writes', undefined, () => agents.create(creator, body, key))
        const { id, revision, credentialWarnings = [] } = created
        return {
          summary: `Created agent ${id}.`,
          data: { id, revision, credential_warnings: credentialWarnings },
          uri: agentUri(id),
        }
      },
    },
    confirmations,
  )
