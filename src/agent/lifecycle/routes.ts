import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { toETag } from '../../api/headers.ts'
import { emptyResponse, jsonResponse, operation, responseHeaders, writeErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { ConditionHeaders, conditionsOf, sendAgent, setIgnoredFieldsHeader } from '../compare.ts'
import { AgentDeletePlan } from '../dependents.ts'
import { AGENT_TRUSTED_EXAMPLE, Agent, AgentId } from '../schema.ts'
import { deleteAgent, planDeletion, recoverAgent } from './deletion.ts'
import { AgentLifecycle, changeTrustStage, DeleteQuery } from './lifecycle.ts'

const AGENT = '/v1/agent-configurations/:id'

export const lifecycleRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.put(
    `${AGENT}/lifecycle`,
    operation('Agents', 'agent:lifecycle', {
      operationId: 'moveAgentTrustStage',
      summary: 'Move Agent Trust Stage',
      description:
        'Changes the trust stage and makes a new revision. Any transition is allowed; setting the current stage ' +
        'again makes no revision. The first change to `trusted` or a later stage sets `trusted_at` and `ttt_days`; ' +
        'later changes keep them.',
      params: AgentId,
      headers: ConditionHeaders,
      body: ref(AgentLifecycle),
      response: {
        200: jsonResponse('The agent, with masked secrets.', ref(Agent), {
          headers: responseHeaders('etag', 'console-ignored-fields'),
          examples: { moved: { summary: 'The first move to `trusted`', value: AGENT_TRUSTED_EXAMPLE } },
        }),
        ...writeErrors('agent_not_found', 'has_dependents', 'revision_stale'),
      },
    }),
    async ({ caller, params, body, headers }, reply) => {
      const changed = await changeTrustStage(core, caller, params.id, body, conditionsOf(headers))
      setIgnoredFieldsHeader(reply, body, AgentLifecycle)
      return sendAgent(reply, changed)
    },
  )

  app.delete(
    AGENT,
    operation('Agents', 'agent:delete', {
      operationId: 'deleteAgentConfiguration',
      summary: 'Delete Agent Configuration',
      description:
        'Deletes the agent: from now on every operation responds as if it had never existed. It can be recovered ' +
        'for a number of days that the operator sets, 7 by default. After that the console erases it with its ' +
        'revisions, scores and secrets. To hide an agent from lists and keep it, set its status to `archived` ' +
        'instead. Delegations of other agents to it become external: `dry_run=true` returns how many agents have ' +
        'one.',
      params: AgentId,
      querystring: DeleteQuery,
      headers: ConditionHeaders,
      response: {
        200: jsonResponse('With `dry_run=true`: what the deletion would do.', ref(AgentDeletePlan), {
          headers: responseHeaders('etag'),
        }),
        204: emptyResponse('The agent is deleted.'),
        ...writeErrors('agent_not_found', 'has_dependents', 'revision_stale'),
      },
    }),
    async ({ caller, params, query, headers }, reply) => {
      const deletion = { erase: query.erase, ...conditionsOf(headers) }
      if (query.dry_run) {
        const plan = await planDeletion(core, caller, params.id, deletion)
        return reply.header('etag', toETag(plan.revision)).send(plan)
      }
      await deleteAgent(core, caller, params.id, deletion)
      return reply.code(204).send()
    },
  )

  app.post(
    `${AGENT}/recover`,
    operation('Agents', 'agent:delete', {
      operationId: 'recoverAgentConfiguration',
      summary: 'Recover Agent Configuration',
      description:
        'Brings a deleted agent back as it was, with its revisions, scores and secrets, and makes a new revision. ' +
        'The response is 404 if the time for it is over, or if the agent was deleted with `erase=true`.',
      params: AgentId,
      response: {
        200: jsonResponse('The agent, with masked secrets.', ref(Agent), {
          headers: responseHeaders('etag'),
        }),
        ...writeErrors('agent_not_found'),
      },
    }),
    async ({ caller, params }, reply) => sendAgent(reply, await recoverAgent(core, caller, params.id)),
  )
}
