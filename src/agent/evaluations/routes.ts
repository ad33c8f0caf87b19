import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, readErrors, writeErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { AgentId } from '../schema.ts'
import { listEvaluations, readEvaluationSeries, recordEvaluation } from './evaluations.ts'
import {
  AgentEvaluation,
  AgentLatestEvaluation,
  EvaluationPageQuery,
  EvaluationSeries,
  EvaluationSeriesQuery,
  RecordedEvaluationPage,
} from './schema.ts'

export const evaluationRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.put(
    '/v1/agent-configurations/:id/latest-evaluation',
    operation('Agent Evaluations', 'evaluation:write', {
      operationId: 'recordAgentEvaluation',
      summary: 'Record Agent Evaluation',
      description:
        'Stores the result of a completed evaluation of a revision of the agent. The list of evaluations keeps the ' +
        '10,000 that were completed last. The latest of them, which the response shows, is the one with the latest ' +
        '`completed_at`. The same `evaluation_id` again corrects the stored evaluation, unless it is older than ' +
        'that. This makes no new revision.',
      params: AgentId,
      body: ref(AgentEvaluation),
      response: {
        200: jsonResponse('The latest evaluation, and whether it is current.', ref(AgentLatestEvaluation)),
        ...writeErrors('agent_not_found', 'agent_too_large'),
      },
    }),
    ({ caller, params, body }) => recordEvaluation(core, caller, params.id, body),
  )

  app.get(
    '/v1/agent-configurations/:id/evaluations',
    operation('Agent Evaluations', 'agent:read', {
      operationId: 'listAgentEvaluations',
      summary: 'List Agent Evaluations',
      description:
        'Returns the evaluations of the agent, the last completed one first: their scores, the revision that was ' +
        'evaluated, whether each is current, and the fields that outdated it. At most 10,000 are kept for an agent.',
      params: AgentId,
      querystring: EvaluationPageQuery,
      response: {
        200: jsonResponse('A page of evaluations.', ref(RecordedEvaluationPage)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => listEvaluations(core, caller, params.id, query),
  )

  app.get(
    '/v1/agent-configurations/:id/evaluations/series',
    operation('Agent Evaluations', 'agent:read', {
      operationId: 'getAgentEvaluationSeries',
      summary: 'Get Agent Evaluation Series',
      description:
        'Returns one score of the agent over time, for a chart, in at most 500 points. A longer series keeps its ' +
        'first and last point, and the lowest and the highest of each span of time.',
      params: AgentId,
      querystring: EvaluationSeriesQuery,
      response: {
        200: jsonResponse('The scores over time.', ref(EvaluationSeries)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => readEvaluationSeries(core, caller, params.id, query),
  )
}
