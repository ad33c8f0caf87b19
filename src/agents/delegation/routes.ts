import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentId } from '../../contract/agent.ts'
import {
  AgentDelegation,
  AgentDependentPage,
  DelegationQuery,
  DependentsQuery,
} from '../../contract/delegation.ts'
import { ref } from '../../contract/fields.ts'
import { readErrors } from '../../contract/operation.ts'
import { jsonResponse } from '../../contract/responses.ts'
import { operation } from '../operation.ts'
import type { DelegationGraph } from './service.ts'

const AGENT = '/v1/agent-configurations/:id'

export const delegationRoutes: FastifyPluginAsyncTypebox<{ delegation: DelegationGraph }> = async (
  app,
  { delegation },
) => {
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
    ({ caller, params, query }) => delegation.read(caller, params.id, query),
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
    ({ caller, params, query }) => delegation.listDependents(caller, params.id, query),
  )
}
