import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref } from '../../api/fields.ts'
import { headerList, IfMatch, revisionsToMatch, toETag } from '../../api/headers.ts'
import {
  DryRunQuery,
  emptyResponse,
  jsonResponse,
  operation,
  readErrors,
  responseHeaders,
  writeErrors,
} from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { applyManagedAgent } from './apply.ts'
import {
  AgentDriftPage,
  ApplyHeaders,
  ConfigurationSetList,
  DriftQuery,
  MAX_AGENTS_OF_SET,
  MAX_SETS,
  ManagedAgentPage,
  ManagedAgentPageQuery,
  ManagedAgentPath,
  ManagedAgentResult,
  ManagedAgentWrite,
  SetPath,
} from './schema.ts'
import { listDrift, listManagedAgents, listSets, releaseManagedAgent } from './sets.ts'

const SETS = '/v1/configuration-sets'
const AGENT = `${SETS}/:set/agents/:key`

export const setRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.put(
    AGENT,
    operation('Configuration Sets', 'agent:write', {
      operationId: 'applyManagedAgent',
      summary: 'Apply Managed Agent',
      description:
        'Brings an agent to the state that a configuration set describes, and makes the set the owner of the ' +
        'fields in `spec`. The agent is created if the set has none of this key; `adopt` takes an existing one. ' +
        'All changes of a request make one revision, and the same request again makes none. A field belongs to ' +
        'at most one set: 409 `field_owned`. If another writer has changed a field since the set applied it, the ' +
        'field is set back to the value in `spec`; if `spec` changes it too, the response is 409 ' +
        '`field_drifted`. A field that the set owned and that `spec` no longer has is cleared if it can be null; ' +
        'else it keeps its value and belongs to no set. A set has at most ' +
        `${MAX_AGENTS_OF_SET.toLocaleString('en-US')} agents, and a team ${MAX_SETS} sets.`,
      params: ManagedAgentPath,
      querystring: DryRunQuery,
      headers: Type.Object({ ...IfMatch.properties, ...ApplyHeaders.properties }),
      body: ref(ManagedAgentWrite),
      response: {
        200: jsonResponse('The set already had the agent.', ref(ManagedAgentResult), {
          headers: responseHeaders('etag', 'console-credential-warnings'),
        }),
        201: jsonResponse('The set has a new agent, created or adopted.', ref(ManagedAgentResult), {
          headers: responseHeaders('etag', 'console-credential-warnings'),
        }),
        ...writeErrors(
          'agent_not_found',
          'field_owned',
          'field_drifted',
          'agent_bound',
          'too_many_sets',
          'set_full',
          'revision_stale',
          'agent_too_large',
        ),
      },
    }),
    async ({ caller, params, query, headers, body }, reply) => {
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
      const { result, isNew, credentialWarnings } = await applyManagedAgent(core, caller, params, body, {
        isDryRun: query.dry_run ?? false,
        expectedRevisions: revisionsToMatch(ifMatch),
        mustExist: ifMatch !== undefined,
        mustBeNew: ifNoneMatch !== undefined,
      })
      const warnings = headerList(credentialWarnings)
      if (warnings !== undefined) reply.header('console-credential-warnings', warnings)
      if (result.revision > 0) reply.header('etag', toETag(result.revision))
      return reply
        .code(isNew ? 201 : 200)
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send(result)
    },
  )

  app.delete(
    AGENT,
    operation('Configuration Sets', 'agent:write', {
      operationId: 'releaseManagedAgent',
      summary: 'Release Managed Agent',
      description:
        'The configuration set releases the agent: it owns none of its fields any more. The agent stays as it is.',
      params: ManagedAgentPath,
      response: {
        204: emptyResponse('The set no longer has the agent.'),
        ...writeErrors('managed_agent_not_found'),
      },
    }),
    async ({ caller, params }, reply) => {
      await releaseManagedAgent(core, caller, params)
      return reply.code(204).send()
    },
  )

  app.get(
    SETS,
    operation('Configuration Sets', 'agent:read', {
      operationId: 'listConfigurationSets',
      summary: 'List Configuration Sets',
      description: 'Returns the configuration sets of the team.',
      response: { 200: jsonResponse('The sets.', ref(ConfigurationSetList)), ...readErrors() },
    }),
    ({ caller }) => listSets(core, caller),
  )

  app.get(
    `${SETS}/:set/agents`,
    operation('Configuration Sets', 'agent:read', {
      operationId: 'listManagedAgents',
      summary: 'List Managed Agents',
      description: 'Returns the agents of a configuration set. A set that does not exist has none.',
      params: SetPath,
      querystring: ManagedAgentPageQuery,
      response: { 200: jsonResponse('A page of agents.', ref(ManagedAgentPage)), ...readErrors() },
    }),
    ({ caller, params, query }) => listManagedAgents(core, caller, params.set, query),
  )

  app.get(
    `${SETS}/:set/drift`,
    operation('Configuration Sets', 'agent:read', {
      operationId: 'listDrift',
      summary: 'List Drift',
      description:
        'Returns the agents of a configuration set that have drifted: another writer has changed a field that ' +
        'the set owns, and its value differs from the one that the set applied.',
      params: SetPath,
      querystring: DriftQuery,
      response: { 200: jsonResponse('A page of agents.', ref(AgentDriftPage)), ...readErrors() },
    }),
    ({ caller, params, query }) => listDrift(core, caller, params.set, query),
  )
}
