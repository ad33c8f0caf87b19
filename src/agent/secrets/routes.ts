import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { IfMatch, revisionsToMatch, toETag } from '../../api/headers.ts'
import {
  emptyResponse,
  jsonResponse,
  operation,
  readErrors,
  responseHeaders,
  writeErrors,
} from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { setIgnoredFieldsHeader } from '../compare.ts'
import { AgentId } from '../schema.ts'
import { deleteNamedSecret, listNamedSecrets, putNamedSecret } from './named-secrets.ts'
import { AgentSecrets, NamedSecret, NamedSecretId, NamedSecretList, NamedSecretValue } from './schema.ts'
import { readSecrets } from './secret-change.ts'

const AGENT = '/v1/agent-configurations/:id'

export const secretRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    `${AGENT}/secrets`,
    operation('Secrets', 'agent:secret', {
      operationId: 'getAgentSecrets',
      summary: 'Get Agent Secrets',
      description:
        'Returns the secrets of the agent in clear text. The audit log records who read them. The response must ' +
        'not be stored.',
      params: AgentId,
      response: {
        200: jsonResponse('The secrets in clear text.', ref(AgentSecrets), {
          headers: responseHeaders('cache-control'),
        }),
        ...readErrors('agent_not_found'),
      },
    }),
    async ({ caller, params }, reply) => {
      const { api_key, github_token, named } = await readSecrets(core, caller, params.id)
      return reply.header('cache-control', 'no-store').send({
        api_key: api_key?.reveal() ?? null,
        white_box_config: { github_token: github_token?.reveal() ?? null },
        secrets: Object.fromEntries(named.map(([name, secret]) => [name, secret.reveal()])),
      })
    },
  )

  app.get(
    `${AGENT}/secret-names`,
    operation('Secrets', 'agent:read', {
      operationId: 'listAgentSecretNames',
      summary: 'List Agent Secret Names',
      description:
        'Returns the names of the named secrets of the agent, each with its mask and the revision that set it.',
      params: AgentId,
      response: {
        200: jsonResponse('The named secrets, masked.', ref(NamedSecretList)),
        ...readErrors('agent_not_found'),
      },
    }),
    async ({ caller, params }) => ({ results: await listNamedSecrets(core, caller, params.id) }),
  )

  app.put(
    `${AGENT}/secrets/:name`,
    operation('Secrets', 'agent:write', {
      operationId: 'updateAgentSecret',
      summary: 'Update Agent Secret',
      description:
        'Creates or replaces a named secret of the agent, and makes a new revision unless the agent already has this ' +
        'value. An agent has at most 20 named secrets. Fields refer to one as `{"$secret": "name"}`. Services read ' +
        'its value with `GET /v1/agent-configurations/{id}/secrets`. The response does not contain it.',
      params: NamedSecretId,
      headers: IfMatch,
      body: ref(NamedSecretValue),
      response: {
        200: jsonResponse('The secret, masked. The ETag is the revision of the agent.', ref(NamedSecret), {
          headers: responseHeaders('etag', 'console-ignored-fields'),
        }),
        ...writeErrors('agent_not_found', 'too_many_secrets', 'revision_stale'),
      },
    }),
    async ({ caller, params: { id, name }, body, headers }, reply) => {
      const expected = revisionsToMatch(headers['if-match'])
      const { secret, revision } = await putNamedSecret(
        core,
        caller,
        id,
        { name, value: body.value },
        expected,
      )
      setIgnoredFieldsHeader(reply, body, NamedSecretValue)
      return reply.header('etag', toETag(revision)).send(secret)
    },
  )

  app.delete(
    `${AGENT}/secrets/:name`,
    operation('Secrets', 'agent:write', {
      operationId: 'deleteAgentSecret',
      summary: 'Delete Agent Secret',
      description:
        'Deletes a named secret of the agent, and makes a new revision. A secret that a field refers to is not ' +
        'deleted.',
      params: NamedSecretId,
      headers: IfMatch,
      response: {
        204: emptyResponse(
          'The secret is deleted. The ETag is the revision of the agent.',
          responseHeaders('etag'),
        ),
        ...writeErrors('agent_not_found', 'secret_not_found', 'secret_in_use', 'revision_stale'),
      },
    }),
    async ({ caller, params, headers }, reply) => {
      const expected = revisionsToMatch(headers['if-match'])
      const revision = await deleteNamedSecret(core, caller, params.id, params.name, expected)
      return reply.code(204).header('etag', toETag(revision)).send()
    },
  )
}
