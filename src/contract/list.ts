import { type Static, Type } from 'typebox'
import { Agent } from './agent.ts'
import { AGENT_FILTERS } from './agent-filters.ts'
import { described, integer, NextCursor, oneOf, PageCursor, PageLimit, ref } from './fields.ts'

export const AGENT_SORTS = [
  '-created_at',
  'created_at',
  'agent_name',
  '-agent_name',
  'score',
  '-score',
] as const
export type AgentSort = (typeof AGENT_SORTS)[number]

const AGENT_MEMBERS = Object.keys(Agent.properties) as (keyof Agent)[]

export const AgentListQuery = Type.Object({
  ...AGENT_FILTERS,
  sort: Type.Optional(
    oneOf(AGENT_SORTS, {
      default: '-created_at',
      description:
        'Order of the results. `-` means descending. Default: `-created_at`, newest first. Names are compared byte ' +
        'by byte. `score`: the `overall_score` of the latest evaluation; an agent without one counts as lower than ' +
        'every score.',
    }),
  ),
  limit: Type.Optional(
    described(
      PageLimit,
      'Maximum number of agents in the page, 1 to 500. Default: 100. A page of large agents may end earlier, ' +
        'because a ' +
        'page holds at most 2 MiB.',
    ),
  ),
  cursor: Type.Optional({ ...PageCursor, maxLength: 4_096 }),
  fields: Type.Optional(
    Type.Array(oneOf(AGENT_MEMBERS), {
      description:
        'Members of Agent that each result contains, in the order of Agent; `id` is always one of them. The others ' +
        'are absent, even if Agent requires them. `latest_evaluation` is there only with `include_scores=true`. ' +
        'Default: all.',
    }),
  ),
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
    results: Type.Array(ref(Agent), {
      description:
        'Agents in the order of `sort`, with masked secrets. With `fields`, each has only those members.',
    }),
    revisions: Type.Array(integer({ minimum: 1 }), {
      description:
        'Revisions of the agents, in the order of `results`. Send the revision of an agent as `If-Match` to update ' +
        'it without reading it first.',
    }),
    next_cursor: NextCursor,
    count: Type.Optional(
      integer({ description: 'Number of agents in all pages. Present only with `include_count=true`.' }),
    ),
  },
  { $id: 'AgentPage', description: 'A page of agents.' },
)
export type AgentPage = Static<typeof AgentPage>
