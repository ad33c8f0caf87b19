import { Type } from 'typebox'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { agentUri } from '../long-values.ts'
import { defineTool } from '../tool.ts'
import { FieldNames, Id, Input, Limit, normalId, RequestId } from './inputs.ts'

const DEFAULT_LIMIT = 5

export const evaluationStatus = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'evaluation_status',
      title: 'Evaluation status',
      description:
        'Returns the last evaluations of an agent with their scores, whether each is current, and which changed fields made it outdated.',
      permission: 'agent:read',
      effect: 'reads',
      input: Input({ id: Id, limit: Limit(20, DEFAULT_LIMIT) }),
      output: Type.Object({
        evaluations: Type.Array(
          Type.Object({
            evaluation_id: Type.String(),
            revision: Type.Integer({ description: 'The revision that was evaluated.' }),
            completed_at: Type.Integer({ description: 'Unix time.' }),
            current: Type.Boolean(),
            outdated_by: FieldNames,
          }),
          { description: 'The last one first, with their scores.' },
        ),
        request_id: RequestId,
      }),
      run: async ({ id: given, limit = DEFAULT_LIMIT }, { caller, withPlace }) => {
        const id = normalId(given)
        const { results } = await withPlace('reads', undefined, () =>
          agents.listEvaluations(caller, id, { limit }),
        )
        return {
          summary: `${results.length} evaluations of agent ${id}.`,
          data: { evaluations: results },
          uri: agentUri(id),
        }
      },
    },
    confirmations,
  )
