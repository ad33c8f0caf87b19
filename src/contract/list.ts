import { type Static, Type } from 'typebox'
import { AGENT_STATUSES, Agent, PROTECTION_STATUSES, TRUST_STAGES } from './agent.ts'
import { integer, NextCursor, oneOf, ref } from './fields.ts'

export const AGENT_SORTS = ['-created_at', 'created_at', 'agent_name', '-agent_name'] as const
export type AgentSort = (typeof AGENT_SORTS)[number]

export const AgentListQuery = Type.Object({
  statuses: Type.Optional(
    Type.Array(oneOf(AGENT_STATUSES), {
      description: 'Only agents in one of these; without it, all but archived ones',
    }),
  ),
  trust_stages: Type.Optional(Type.Array(oneOf(TRUST_STAGES))),
  protection_statuses: Type.Optional(Type.Array(oneOf(PROTECTION_STATUSES))),
  q: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, in either case' })),
  sort: Type.Optional(oneOf(AGENT_SORTS, { default: '-created_at', description: '`-` for descending' })),
  limit: Type.Optional(
    integer({
      format: 'int32',
      minimum: 1,
      maximum: 500,
      default: 100,
      description: 'The most agents of a page. One of large agents, 4 MiB together, ends before.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description: 'The `next_cursor` of the page before, with the same filters',
    }),
  ),
  include_scores: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether each agent carries `latest_evaluation`' }),
  ),
  include_count: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether `count` tells how many agents there are in all' }),
  ),
})
export type AgentListQuery = Static<typeof AgentListQuery>

export const AgentPage = Type.Object(
  {
    results: Type.Array(ref(Agent)),
    next_cursor: NextCursor,
    count: Type.Optional(integer({ description: 'With `include_count=true`' })),
  },
  { $id: 'AgentPage', description: 'A page of agents' },
)
export type AgentPage = Static<typeof AgentPage>
