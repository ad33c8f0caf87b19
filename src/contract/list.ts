import { type Static, Type } from 'typebox'
import { AGENT_STATUSES, Agent, PROTECTION_STATUSES, TRUST_STAGES } from './agent.ts'
import { described, integer, NextCursor, oneOf, PageCursor, PageLimit, ref } from './fields.ts'

export const AGENT_SORTS = ['-created_at', 'created_at', 'agent_name', '-agent_name'] as const
export type AgentSort = (typeof AGENT_SORTS)[number]

export const AgentListQuery = Type.Object({
  statuses: Type.Optional(
    Type.Array(oneOf(AGENT_STATUSES), {
      description: 'Return only agents with one of these statuses. Default: every status except `archived`.',
    }),
  ),
  trust_stages: Type.Optional(
    Type.Array(oneOf(TRUST_STAGES), {
      description: 'Return only agents at one of these trust stages. Default: every stage.',
    }),
  ),
  protection_statuses: Type.Optional(
    Type.Array(oneOf(PROTECTION_STATUSES), {
      description: 'Return only agents with one of these protection statuses. Default: every status.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Return only agents whose name contains this text, ignoring case. At most 255 characters. Default: every ' +
        'name.',
    }),
  ),
  sort: Type.Optional(
    oneOf(AGENT_SORTS, {
      default: '-created_at',
      description:
        'Order of the results. `-` means descending. Default: `-created_at`, newest first. Names are compared byte by byte.',
    }),
  ),
  limit: Type.Optional(
    described(
      PageLimit,
      'Maximum number of agents in the page, 1 to 500. Default: 100. A page of large agents may end earlier, because a ' +
        'page holds at most 4 MiB.',
    ),
  ),
  cursor: Type.Optional({ ...PageCursor, maxLength: 4_096 }),
  include_scores: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: each agent contains `latest_evaluation`. Default: false.',
    }),
  ),
  include_count: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: the page contains `count`. Counting a large team takes longer. Default: false.',
    }),
  ),
})
export type AgentListQuery = Static<typeof AgentListQuery>

export const AgentPage = Type.Object(
  {
    results: Type.Array(ref(Agent), { description: 'Agents in the order of `sort`, with masked secrets.' }),
    revisions: Type.Array(integer({ minimum: 1 }), {
      description:
        'Revisions of the agents, in the order of `results`. Send the revision of an agent as `If-Match` to update it ' +
        'without reading it first.',
    }),
    next_cursor: NextCursor,
    count: Type.Optional(
      integer({ description: 'Number of agents in all pages. Present only with `include_count=true`.' }),
    ),
  },
  { $id: 'AgentPage', description: 'A page of agents.' },
)
export type AgentPage = Static<typeof AgentPage>
