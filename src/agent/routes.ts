import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../api/fields.ts'
import { IfNoneMatch, matchesIfNoneMatch, toETag } from '../api/headers.ts'
import {
  emptyResponse,
  jsonResponse,
  operation,
  readErrors,
  responseHeaders,
  writeErrors,
} from '../api/operation.ts'
import type { Core } from '../core.ts'
import { readAgent, updateAgent } from './agents.ts'
import { ConditionHeaders, conditionsOf, sendAgent, setIgnoredFieldsHeader } from './compare.ts'
import { cloneAgent, createAgent } from './create.ts'
import { readRevision } from './history/history.ts'
import {
  AGENT_CREATED_EXAMPLE,
  Agent,
  AgentCreate,
  AgentId,
  AgentReadQuery,
  AgentUpdate,
  IdempotencyKeyHeader,
} from './schema.ts'

const COLLECTION = '/v1/agent-configurations'

export const configurationRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    COLLECTION,
    operation('Agents', 'agent:write', {
      operationId: 'createAgentConfiguration',
      summary: 'Create Agent Configuration',
      description:
        'Creates an agent in the team of the token. Send `Idempotency-Key` to make a retry safe: a retry with the ' +
        'same key and body returns the first agent as it was created. If the body differs, or the agent has been ' +
        'deleted, it returns 409. A new agent has no named secrets, so that its fields cannot refer to one.',
      headers: IdempotencyKeyHeader,
      body: ref(AgentCreate),
      response: {
        201: jsonResponse('The new agent, with the secrets of this request in clear text.', ref(Agent), {
          headers: responseHeaders(
            'etag',
            'location',
            'cache-control',
            'console-ignored-fields',
            'console-credential-warnings',
          ),
          examples: { created: { summary: 'With the secret in clear text', value: AGENT_CREATED_EXAMPLE } },
        }),
        ...writeErrors('idempotency_conflict', 'idempotency_agent_deleted', 'agent_too_large'),
      },
    }),
    async ({ caller, body, headers }, reply) => {
      const created = await createAgent(core, caller, body, headers['idempotency-key'])
      reply.code(201).header('location', `${COLLECTION}/${created.id}`)
      setIgnoredFieldsHeader(reply, body, AgentCreate)
      return sendAgent(reply, created)
    },
  )

  app.post(
    `${COLLECTION}/:id/clone`,
    operation('Agents', 'agent:write', {
      operationId: 'cloneAgentConfiguration',
      summary: 'Clone Agent Configuration',
      description:
        'Creates an agent with the values of another one. A field in the body replaces the copied value; send `{}` ' +
        'to copy everything. By default its name ends with ` (copy)` and its status is `draft`. Secrets, the trust ' +
        'stage, evaluations, results of tests and the protection are not copied. `import_metadata` of the new ' +
        'agent has `source` `clone`, `source_agent_id`, `source_revision` and, in `left_out_secrets`, the names of ' +
        'the secrets that were not copied. A field that refers to a named secret keeps the reference: store a ' +
        'secret of the same name for the new agent. `Idempotency-Key` makes a retry safe, as for a creation.',
      params: AgentId,
      headers: IdempotencyKeyHeader,
      body: ref(AgentUpdate),
      response: {
        201: jsonResponse('The new agent, with the secrets of this request in clear text.', ref(Agent), {
          headers: responseHeaders(
            'etag',
            'location',
            'cache-control',
            'console-ignored-fields',
            'console-credential-warnings',
          ),
        }),
        ...writeErrors(
          'agent_not_found',
          'idempotency_conflict',
          'idempotency_agent_deleted',
          'agent_too_large',
        ),
      },
    }),
    async ({ caller, params, body, headers }, reply) => {
      const created = await cloneAgent(core, caller, params.id, body, headers['idempotency-key'])
      reply.code(201).header('location', `${COLLECTION}/${created.id}`)
      setIgnoredFieldsHeader(reply, body, AgentUpdate)
      return sendAgent(reply, created)
    },
  )

  app.get(
    `${COLLECTION}/:id`,
    operation('Agents', 'agent:read', {
      operationId: 'getAgentConfiguration',
      summary: 'Get Agent Configuration',
      description:
        'Returns one agent with masked secrets: as it is now, or as it was at `revision`. The ETag is its revision.',
      params: AgentId,
      querystring: AgentReadQuery,
      headers: IfNoneMatch,
      response: {
        200: jsonResponse('The agent, with masked secrets.', ref(Agent), {
          headers: responseHeaders('etag'),
        }),
        304: emptyResponse('The agent is still at the revision in If-None-Match.', responseHeaders('etag')),
        ...readErrors('agent_not_found', 'revision_not_found'),
      },
    }),
    async ({ caller, params, query, headers }, reply) => {
      const { revision, include_scores: includeScores = false } = query
      const found = await (revision === undefined
        ? readAgent(core, caller, params.id, { includeScores })
        : readRevision(core, caller, params.id, revision, { includeScores }))
      // A new evaluation makes no revision, so the revision does not show whether the scores have changed.
      const isUnchanged = !includeScores && matchesIfNoneMatch(headers['if-none-match'], found.revision)
      if (!isUnchanged) return sendAgent(reply, found)
      return reply.code(304).header('etag', toETag(found.revision)).send()
    },
  )

  app.put(
    `${COLLECTION}/:id`,
    operation('Agents', 'agent:write', {
      operationId: 'updateAgentConfiguration',
      summary: 'Update Agent Configuration',
      description:
        'Each supplied field replaces the corresponding field of the agent; absent fields keep their values. Every ' +
        'change makes a new revision; a body that changes nothing makes none. Send `If-Match` with the ETag that ' +
        'you read to avoid overwriting the change of another client: the response is 412 if the agent has changed ' +
        'since. To move `agent_url` to another origin while an `api_key` is stored, send the key again, clear it ' +
        'with `null`, or use a token with the permission `agent:secret`; else the response is 403. The same holds ' +
        'for `repo_url` and `github_token` in `white_box_config`.',
      params: AgentId,
      headers: ConditionHeaders,
      body: ref(AgentUpdate),
      response: {
        200: jsonResponse(
          'The agent after the update. A secret that this request set is in clear text; other secrets are masked.',
          ref(Agent),
          {
            headers: responseHeaders(
              'etag',
              'cache-control',
              'console-ignored-fields',
              'console-credential-warnings',
            ),
          },
        ),
        ...writeErrors('agent_not_found', 'has_dependents', 'revision_stale', 'agent_too_large'),
      },
    }),
    async ({ caller, params, body, headers }, reply) => {
      const updated = await updateAgent(core, caller, params.id, body, conditionsOf(headers))
      setIgnoredFieldsHeader(reply, body, AgentUpdate)
      return sendAgent(reply, updated)
    },
  )
}
