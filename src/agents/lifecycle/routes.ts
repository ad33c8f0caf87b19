import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Agent, AgentId } from '../../contract/agent.ts'
import { IfMatch, revisionsToMatch } from '../../contract/etag.ts'
import { AGENT_TRUSTED_EXAMPLE } from '../../contract/examples.ts'
import { ref } from '../../contract/fields.ts'
import { AgentLifecycle } from '../../contract/lifecycle.ts'
import { writeErrors } from '../../contract/operation.ts'
import { emptyResponse, jsonResponse, responseHeaders } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import { sendAgent, setIgnoredFieldsHeader } from '../reply.ts'
import type { Lifecycle } from './service.ts'

const AGENT = '/v1/agent-configurations/:id'

export const lifecycleRoutes: FastifyPluginAsyncTypebox<{ lifecycle: Lifecycle }> = async (
  app,
  { lifecycle },
) => {
  app.put(
    `${AGENT}/lifecycle`,
    operation('agent:lifecycle', {
      operationId: 'changeAgentTrustStage',
      summary: 'Change Agent Trust Stage',
      description:
        'Changes the trust stage and makes a new revision. Every change is allowed; setting the current stage again makes no ' +
        'revision. The first change to `trusted` or a later stage sets `trusted_at` and `ttt_days`; later changes keep them.',
      params: AgentId,
      headers: IfMatch,
      body: ref(AgentLifecycle),
      response: {
        200: jsonResponse('The agent, with masked secrets.', ref(Agent), {
          headers: responseHeaders('etag', 'console-ignored-fields'),
          examples: { moved: { summary: 'The first move to `trusted`', value: AGENT_TRUSTED_EXAMPLE } },
        }),
        ...writeErrors('agent_not_found', 'revision_stale'),
      },
    }),
    async ({ caller, params, body, headers }, reply) => {
      const changed = await lifecycle.changeTrustStage(
        caller,
        params.id,
        body,
        revisionsToMatch(headers['if-match']),
      )
      setIgnoredFieldsHeader(reply, body, AgentLifecycle)
      return sendAgent(reply, changed)
    },
  )

  app.delete(
    AGENT,
    operation('agent:delete', {
      operationId: 'deleteAgentConfiguration',
      summary: 'Delete Agent Configuration',
      description:
        'Deletes the agent with its revisions, scores and secrets. This cannot be undone. To hide an agent from lists and keep ' +
        'it, set its status to `archived` instead.',
      params: AgentId,
      headers: IfMatch,
      response: {
        204: emptyResponse('The agent is deleted.'),
        ...writeErrors('agent_not_found', 'revision_stale'),
      },
    }),
    async ({ caller, params, headers }, reply) => {
      await lifecycle.delete(caller, params.id, revisionsToMatch(headers['if-match']))
      return reply.code(204).send()
    },
  )
}
