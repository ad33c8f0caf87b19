import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { readAgent } from '../../agent/agents.ts'
import { type Agent, AgentId } from '../../agent/schema.ts'
import { ref } from '../../api/fields.ts'
import { IfMatch, IfNoneMatch, matchesIfNoneMatch, revisionsToMatch, toETag } from '../../api/headers.ts'
import {
  emptyResponse,
  jsonResponse,
  operation,
  readErrors,
  responseHeaders,
  writeErrors,
} from '../../api/operation.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { disconnectSignal } from '../../platform/responses.ts'
import { toAgentCard } from './card-fields.ts'
import { readMetadata, refreshFromCard } from './refresh.ts'
import { A2AAgentCard, CardRefresh, CardRefreshQuery } from './schema.ts'

const AGENT = '/v1/agent-configurations/:id'

export const cardRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    `${AGENT}/agent-card`,
    operation('Agent Cards', 'agent:read', {
      operationId: 'getAgentCard',
      summary: 'Get Agent Card',
      description:
        'Returns an agent card of A2A 1.0, made from the configuration. It has no secrets. The ETag is the ' +
        'revision of the agent.',
      params: AgentId,
      headers: IfNoneMatch,
      response: {
        200: jsonResponse('The card.', ref(A2AAgentCard), { headers: responseHeaders('etag') }),
        304: emptyResponse('The agent is still at the revision in If-None-Match.', responseHeaders('etag')),
        ...readErrors('agent_not_found', 'no_agent_card'),
      },
    }),
    async ({ caller, params, headers }, reply) => {
      const { revision, text } = await readAgent(core, caller, params.id)
      const agent = JSON.parse(text) as Agent
      const card = toAgentCard(agent, revision, readMetadata(agent))
      if (!card) throw new Problem('no_agent_card')
      reply.header('etag', toETag(revision)).header('cache-control', 'private, no-cache')
      if (matchesIfNoneMatch(headers['if-none-match'], revision)) return reply.code(304).send()
      return reply.send(card)
    },
  )

  app.post(
    `${AGENT}/refresh-card`,
    operation('Agent Cards', 'agent:write', {
      operationId: 'refreshAgentCard',
      summary: 'Refresh Agent From Its Card',
      description:
        'Fetches the agent card that the agent was imported from, applies what has changed, and returns the ' +
        'changes. It changes only what a card decides: name, purpose, skills, and members of `agent_metadata`, ' +
        '`capabilities` and `import_metadata`. `agent_url` moves to another interface only with ' +
        '`move_interface`. If the card has not changed, values that were changed after the import stay.',
      params: AgentId,
      querystring: CardRefreshQuery,
      headers: Type.Object({ ...IfMatch.properties }),
      response: {
        200: jsonResponse('What the refresh changed, or would change.', ref(CardRefresh), {
          headers: responseHeaders('etag'),
        }),
        ...writeErrors(
          'agent_not_found',
          'no_card_url',
          'revision_stale',
          'agent_too_large',
          'card_unreachable',
          'card_unreadable',
        ),
      },
    }),
    async ({ caller, params, query, headers }, reply) => {
      const result = await refreshFromCard(core, caller, params.id, {
        query,
        signal: disconnectSignal(reply.raw),
        expectedRevisions: revisionsToMatch(headers['if-match']),
      })
      return reply.header('etag', toETag(result.revision)).send(result)
    },
  )
}
