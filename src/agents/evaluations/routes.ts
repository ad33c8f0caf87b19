import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentId } from '../../contract/agent.ts'
import { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import { AgentEvaluation } from '../../contract/evaluation.ts'
import { ref } from '../../contract/fields.ts'
import { writeErrors } from '../../contract/operation.ts'
import { jsonResponse } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import type { Evaluations } from './service.ts'

export const evaluationRoutes: FastifyPluginAsyncTypebox<{ evaluations: Evaluations }> = async (
  app,
  { evaluations },
) => {
  app.put(
    '/v1/agent-configurations/:id/latest-evaluation',
    operation('evaluation:write', {
      operationId: 'recordAgentEvaluation',
      summary: 'Record Agent Evaluation',
      description:
        'Stores the result of a completed evaluation of a revision of the agent. An evaluation that is older than the stored ' +
        'one changes nothing; the response is the stored one. This makes no new revision.',
      params: AgentId,
      body: ref(AgentEvaluation),
      response: {
        200: jsonResponse('The latest evaluation, and whether it is current.', ref(AgentLatestEvaluation)),
        ...writeErrors('agent_not_found', 'agent_too_large'),
      },
    }),
    ({ caller, params, body }) => evaluations.record(caller, params.id, body),
  )
}
