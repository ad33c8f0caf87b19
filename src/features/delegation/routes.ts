import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operation } from '../../agent/compare.ts'
import { listDependents } from '../../agent/dependents.ts'
import { findCurrentRevision } from '../../agent/history/past-agent.ts'
import { AgentId } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import { ref } from '../../api/fields.ts'
import { jsonResponse, readErrors } from '../../api/operation.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Sessions } from '../../platform/postgres/database.ts'
import { findCycles, findWeakest, walk } from './graph.ts'
import { AgentDelegation, AgentDependentPage, DelegationQuery, DependentsQuery } from './schema.ts'

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

const MAX_WALK_MS = 1_000

export type DelegationGraph = ReturnType<typeof createDelegationGraph>

interface DelegationGraphDeps {
  /** With a time limit for each statement. */
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
}

export function createDelegationGraph({ sql, now }: DelegationGraphDeps) {
  return {
    async read({ teamId }: Caller, id: string, { depth }: DelegationQuery): Promise<AgentDelegation> {
      const startedAt = now()
      const isLate = () => now() - startedAt > MAX_WALK_MS
      const found = await walk(sql.of(teamId), teamId, id, { depth, isLate })
      if (!found) throw new Problem('agent_not_found')
      return {
        agent_id: id,
        nodes: found.nodes,
        edges: found.edges,
        cycles: findCycles(found),
        weakest: findWeakest(found),
        complete: found.limits.length === 0,
        limits: found.limits,
      }
    },

    async listDependents(
      { teamId }: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentDependentPage> {
      const [after = null] = (decodeCursor(id, cursor, isPosition) ?? []) as string[]
      if ((await findCurrentRevision(sql.of(teamId), teamId, id)) === undefined)
        throw new Problem('agent_not_found')
      const rows = await listDependents(sql.of(teamId), teamId, id, { after, limit: limit + 1 })
      return toPage(rows, limit, id, (last) => [last.id])
    },
  }
}

const isPosition = ([id, ...rest]: unknown[]) => isCanonicalUuid(id) && rest.length === 0
