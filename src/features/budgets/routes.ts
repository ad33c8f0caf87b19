import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentId } from '../../agent/schema.ts'
import { ref } from '../../api/fields.ts'
import { addHeaders, jsonResponse, operation, readErrors, responseHeaders } from '../../api/operation.ts'
import type { RequestBudgets } from './budgets.ts'
import { PermitGrant, PermitRequest, RequestBudget } from './schema.ts'

const PATH = '/v1/agent-configurations/:id/request-budget'
const RATE_LIMIT = responseHeaders('ratelimit', 'ratelimit-policy')

export const requestBudgetRoutes: FastifyPluginAsyncTypebox<{ budgets: RequestBudgets }> = async (
  app,
  { budgets },
) => {
  app.get(
    PATH,
    operation('Request Budgets', 'agent:read', {
      operationId: 'getRequestBudget',
      summary: 'Get Request Budget',
      description:
        'Returns how often services may call the agent, and how many permits are left at each priority.',
      params: AgentId,
      response: {
        200: jsonResponse('The request budget of the agent.', ref(RequestBudget)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params }) => budgets.read(caller, params.id),
  )

  app.post(
    PATH,
    operation('Request Budgets', 'evaluation:write', {
      config: { isAudited: false },
      operationId: 'takeRequestPermits',
      summary: 'Take Request Permits',
      description:
        'Takes permits from the request budget of the agent, all or none. A service takes a permit before each ' +
        'request that it sends to the agent, unless the console forwards it through a mounted operation that takes ' +
        'the permit itself. The limit is `rate_limit_requests_per_minute` of the agent, for all services together. ' +
        '`Retry-After` of a 429 is when the permits can be taken.',
      params: AgentId,
      body: ref(PermitRequest),
      response: {
        200: jsonResponse('The permits are taken.', ref(PermitGrant), { headers: RATE_LIMIT }),
        ...addHeaders(
          readErrors('body_too_large', 'agent_not_found', 'request_budget_exceeded'),
          429,
          RATE_LIMIT,
        ),
      },
    }),
    async ({ caller, params, body }, reply) => {
      const { grant, headers } = await budgets.take(caller, params.id, body)
      reply.headers(headers)
      return grant
    },
  )
}
