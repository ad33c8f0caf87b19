import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../contract/fields.ts'
import { AgentListQuery, AgentPage } from '../../contract/list.ts'
import { readErrors } from '../../contract/operation.ts'
import { jsonResponse } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import { sendJson } from '../reply.ts'
import { type AgentList, isSearch } from './service.ts'

export const listRoutes: FastifyPluginAsyncTypebox<{ list: AgentList }> = async (app, { list }) => {
  app.get(
    '/v1/agent-configurations',
    operation(
      'agent:read',
      {
        operationId: 'listAgentConfigurations',
        summary: 'List Agent Configurations',
        description:
          'Returns the agents of the team in pages. To pass several values of a filter, repeat the parameter: ' +
          '`statuses=draft&statuses=active`. To read the next page, send `next_cursor` as `cursor` with the same filters.',
        querystring: AgentListQuery,
        response: {
          200: jsonResponse('A page of agents, with masked secrets.', ref(AgentPage)),
          ...readErrors(),
        },
      },
      (query) => (isSearch(query) ? 'searches' : 'reads'),
    ),
    async ({ caller, query }, reply) => sendJson(reply, await list(caller, query)),
  )
}
