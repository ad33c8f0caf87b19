import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import {
  emptyResponse,
  jsonResponse,
  operation,
  readErrors,
  responseHeaders,
  writeErrors,
} from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { ConditionHeaders, conditionsOf, sendAgent, setIgnoredFieldsHeader } from '../compare.ts'
import { Agent, AgentId } from '../schema.ts'
import { compareAgents, diffRevisions, listRevisions, readRevision, restoreRevision } from './history.ts'
import { redactRevision } from './redact.ts'
import {
  AgentComparison,
  AgentDiff,
  AgentRevisionId,
  AgentRevisionPage,
  CompareQuery,
  DiffQuery,
  RevisionPageQuery,
  RevisionRedaction,
} from './schema.ts'

const REVISIONS = '/v1/agent-configurations/:id/revisions'

export const historyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    REVISIONS,
    operation('Revisions', 'agent:read', {
      operationId: 'listAgentRevisions',
      summary: 'List Agent Revisions',
      description: 'Returns the revisions of the agent, newest first: who changed which fields, and when.',
      params: AgentId,
      querystring: RevisionPageQuery,
      response: {
        200: jsonResponse('A page of revisions.', ref(AgentRevisionPage)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => listRevisions(core, caller, params.id, query),
  )

  app.get(
    `${REVISIONS}/:revision`,
    operation('Revisions', 'agent:read', {
      operationId: 'getAgentRevision',
      summary: 'Get Agent Revision',
      description:
        'Returns the agent as it was at a revision, with masked secrets. The ETag is this revision.',
      params: AgentRevisionId,
      response: {
        200: jsonResponse('The agent as it was at the revision.', ref(Agent), {
          headers: responseHeaders('etag'),
        }),
        ...readErrors('agent_not_found', 'revision_not_found'),
      },
    }),
    async ({ caller, params }, reply) =>
      sendAgent(reply, await readRevision(core, caller, params.id, params.revision)),
  )

  app.get(
    `${REVISIONS}/:revision/diff`,
    operation('Revisions', 'agent:read', {
      operationId: 'diffAgentRevisions',
      summary: 'Diff Agent Revisions',
      description:
        'Returns the fields that differ between two revisions, with both values. Secrets are masked.',
      params: AgentRevisionId,
      querystring: DiffQuery,
      response: {
        200: jsonResponse('The fields that differ.', ref(AgentDiff)),
        ...readErrors('agent_not_found', 'revision_not_found'),
      },
    }),
    ({ caller, params, query }) => diffRevisions(core, caller, params.id, params.revision, query.against),
  )

  app.get(
    '/v1/agent-configurations/:id/compare',
    operation('Revisions', 'agent:read', {
      operationId: 'compareAgentConfigurations',
      summary: 'Compare Agent Configurations',
      description:
        'Returns the fields that differ between two agents of the team, with both values. Secrets are masked.',
      params: AgentId,
      querystring: CompareQuery,
      response: {
        200: jsonResponse('The fields that differ.', ref(AgentComparison)),
        ...readErrors('agent_not_found', 'revision_not_found'),
      },
    }),
    ({ caller, params, query }) => compareAgents(core, caller, params.id, query),
  )

  app.post(
    `${REVISIONS}/:revision/restore`,
    operation('Revisions', 'agent:write', {
      operationId: 'restoreAgentRevision',
      summary: 'Restore Agent Revision',
      description:
        'Makes a new revision with the field values of an old one. Secrets, the trust stage and scores keep their ' +
        'current values, and so do fields whose old values were removed from history. Like an update, it needs the ' +
        'permission `agent:secret` to move a URL to another origin while the secret that is sent there stays. A ' +
        'revision that refers to a named secret that was deleted gets 422.',
      params: AgentRevisionId,
      headers: ConditionHeaders,
      response: {
        200: jsonResponse('The agent after the restore, with masked secrets.', ref(Agent), {
          headers: responseHeaders('etag', 'console-credential-warnings'),
        }),
        ...writeErrors(
          'agent_not_found',
          'revision_not_found',
          'has_dependents',
          'revision_stale',
          'agent_too_large',
        ),
      },
    }),
    async ({ caller, params, headers }, reply) => {
      const restored = await restoreRevision(core, caller, params.id, params.revision, conditionsOf(headers))
      return sendAgent(reply, restored)
    },
  )

  app.post(
    `${REVISIONS}/:revision/redact`,
    operation('Revisions', 'agent:delete', {
      operationId: 'redactAgentRevision',
      summary: 'Redact Agent Revision',
      description:
        'Removes the values that fields had at a revision from history, for good: a credential that got into a ' +
        'URL, for example. They are removed from every revision from the one that set them to the one that ' +
        'replaced them. If other revisions have the same value, redact those too. A removed value reads as null, ' +
        'as `[redacted]` in `agent_name`, `model_name` and `hub`, and as `[]` in `delegated_agents`. `reason` ' +
        'removes the reason of this revision, also from its event if that is not delivered yet; a delivered event ' +
        'stays in the stream until it expires there. The audit log records who removed which fields. If the ' +
        'request fails or the connection breaks, repeat the request to complete it.',
      params: AgentRevisionId,
      body: ref(RevisionRedaction),
      response: {
        204: emptyResponse('The values are removed.', responseHeaders('console-ignored-fields')),
        ...writeErrors('agent_not_found', 'revision_not_found', 'value_in_use'),
      },
    }),
    async ({ caller, params, body }, reply) => {
      await redactRevision(core, caller, params.id, params.revision, body.fields)
      setIgnoredFieldsHeader(reply, body, RevisionRedaction)
      return reply.code(204).send()
    },
  )
}
