import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentId } from '../../agent/schema.ts'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, readErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { listAgentDependents, readDelegation } from './graph.ts'
import { AgentDelegation, AgentDependentPage, DelegationQuery, DependentsQuery } from './schema.ts'

const AGENT = '/v1/agent-configurations/:id'

export const delegationRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    `${AGENT}/delegation`,
    operation('Delegation', 'agent:read', {
      operationId: 'getAgentDelegation',
      summary: 'Get Agent Delegation',
      description:
        'Returns the agents that the agent delegates to, directly and through others, within the team, and the ' +
        'weakest trust stage, protection status and evaluation among them with the way to each. A delegation leads ' +
        'to the agent with its `agent_id`; without one, to the agent that was imported from its `agent_card_url`; ' +
        'if there is none, to the agent whose `agent_url` is its `url`. URLs that differ only in the case of ' +
        'scheme and host, the default port, a slash at the end of the path or the fragment are the same.',
      params: AgentId,
      querystring: DelegationQuery,
      response: {
        200: jsonResponse('The delegations, as far as they were followed.', ref(AgentDelegation)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => readDelegation(core, caller, params.id, query),
  )

  app.get(
    `${AGENT}/dependents`,
    operation('Delegation', 'agent:read', {
      operationId: 'listAgentDependents',
      summary: 'List Agent Dependents',
      description:
        'Returns the agents of the team that delegate to the agent directly, oldest first. An agent whose ' +
        'delegation may mean the agent or another one with the same address is among them, with `ambiguous` set.',
      params: AgentId,
      querystring: DependentsQuery,
      response: {
        200: jsonResponse('A page of agents that delegate to the agent.', ref(AgentDependentPage)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => listAgentDependents(core, caller, params.id, query),
  )
}
