import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentExportQuery, agentExportResponse } from '../../contract/export.ts'
import { AgentFacets, AgentFacetsQuery } from '../../contract/facets.ts'
import { ref } from '../../contract/fields.ts'
import { AgentListQuery, AgentPage } from '../../contract/list.ts'
import { readErrors } from '../../contract/operation.ts'
import { jsonResponse } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import { sendJson } from '../reply.ts'
import type { AgentExport } from './export.ts'
import type { Facets } from './facets.ts'
import type { AgentList } from './service.ts'

export interface ListRoutesOptions {
  list: AgentList
  facets: Facets
  exportAgents: AgentExport
}

const FILTERING =
  'An agent must match every filter. To pass several values of a filter, repeat the parameter: ' +
  '`statuses=draft&statuses=active`.'

export const listRoutes: FastifyPluginAsyncTypebox<ListRoutesOptions> = async (
  app,
  { list, facets, exportAgents },
) => {
  app.get(
    '/v1/agent-configurations',
    operation('Agents', 'agent:read', {
      operationId: 'listAgentConfigurations',
      summary: 'List Agent Configurations',
      description:
        `Returns the agents of the team in pages. ${FILTERING} To read the next page, send \`next_cursor\` as ` +
        '`cursor` with the same filters.',
      querystring: AgentListQuery,
      response: {
        200: jsonResponse('A page of agents, with masked secrets.', ref(AgentPage)),
        ...readErrors(),
      },
    }),
    async ({ caller, query }, reply) => sendJson(reply, await list(caller, query)),
  )

  app.get(
    '/v1/agent-configurations/facets',
    operation('Agents', 'agent:read', {
      operationId: 'getAgentFacets',
      summary: 'Get Agent Facets',
      description:
        'Counts the agents of the team by the values of their fields, for the filters of a list. ' +
        `${FILTERING} Each facet ignores its own filter.`,
      querystring: AgentFacetsQuery,
      response: {
        200: jsonResponse('The counts.', ref(AgentFacets)),
        ...readErrors(),
      },
    }),
    ({ caller, query }) => facets(caller, query),
  )

  app.get(
    '/v1/agent-configurations/export',
    {
      ...operation(
        'Agents',
        'agent:read',
        {
          operationId: 'exportAgentConfigurations',
          summary: 'Export Agent Configurations',
          description:
            `Streams the agents of the team, oldest first, without secrets. ${FILTERING} The audit log records the ` +
            'export. Each agent is as it was when its line was read. The stream breaks off when the token expires ' +
            'or is revoked, the replica shuts down, the database fails, or the client does not read: continue with ' +
            '`cursor`. The number of exports at a time is limited.',
          querystring: AgentExportQuery,
          response: { 200: agentExportResponse, ...readErrors() },
        },
        true,
      ),
      // A HEAD request would read all agents.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { caller, query } = request
      const lines = await exportAgents(caller, query, (end) => request.endWithToken(end))
      // A continued export has no line with names (RFC 4180 section 3).
      const names = query.cursor === undefined ? 'present' : 'absent'
      const csv = `text/csv; charset=utf-8; header=${names}`
      reply.type(query.format === 'csv' ? csv : 'application/x-ndjson').header('cache-control', 'no-store')
      return lines
    },
  )
}
