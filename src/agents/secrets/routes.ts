import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentId } from '../../contract/agent.ts'
import { AgentSecrets } from '../../contract/agent-secrets.ts'
import { ref } from '../../contract/fields.ts'
import { readErrors } from '../../contract/operation.ts'
import { jsonResponse, responseHeaders } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import type { ReadSecrets } from './service.ts'

export const secretRoutes: FastifyPluginAsyncTypebox<{ readSecrets: ReadSecrets }> = async (
  app,
  { readSecrets },
) => {
  app.get(
    '/v1/agent-configurations/:id/secrets',
    operation('agent:secret', {
      operationId: 'readAgentSecrets',
      summary: 'Read Agent Secrets',
      description:
        'Returns the secrets of the agent in clear text. The audit log records who read them. The response must not be ' +
        'stored.',
      params: AgentId,
      response: {
        200: jsonResponse('The secrets in clear text.', ref(AgentSecrets), {
          headers: responseHeaders('cache-control'),
        }),
        ...readErrors('agent_not_found'),
      },
    }),
    async ({ caller, params }, reply) => {
      const { api_key, github_token } = await readSecrets(caller, params.id)
      return reply.header('cache-control', 'no-store').send({
        api_key: api_key?.reveal() ?? null,
        white_box_config: { github_token: github_token?.reveal() ?? null },
      })
    },
  )
}
