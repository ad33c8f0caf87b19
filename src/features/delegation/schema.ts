import { type Static, Type } from 'typebox'
import {
  AGENT_SUMMARY,
  AgentDeletePlan,
  AgentDependent,
  DependentsImpact,
  EVALUATION_STATES,
  matchedBy,
  position,
} from '../../agent/dependents.ts'
import { PROTECTION_STATUSES, TRUST_STAGES } from '../../agent/schema.ts'
import {
  described,
  integer,
  NextCursor,
  nullable,
  oneOf,
  PageCursor,
  PageLimit,
  Uuid,
} from '../../api/fields.ts'

const TARGET_KINDS = ['agent', 'external', 'ambiguous'] as const

const WALK_LIMITS = ['depth', 'nodes', 'edges', 'time'] as const
export type WalkLimit = (typeof WALK_LIMITS)[number]

export const MAX_DEPTH = 10

const DelegationNode = Type.Object({
  ...AGENT_SUMMARY,
  depth: integer({
    format: 'int32',
    description:
      'Number of delegations on the shortest path from the agent in the request. 0: that agent itself.',
  }),
})
export type DelegationNode = Static<typeof DelegationNode>

const DelegationEdge = Type.Object({
  from: described(Uuid, 'Id of the agent that delegates.'),
  position,
  kind: oneOf(TARGET_KINDS, {
    description:
      '`agent`: the delegation leads to an agent of the team. `external`: to none that the team has. `ambiguous`: ' +
      'to several with the same address; the console does not choose one.',
  }),
  to: nullable(described(Uuid, 'Id of the agent that it leads to. null: `kind` is not `agent`.')),
  candidates: Type.Array(Uuid, {
    description: 'Ids of the agents that it may lead to, at most 10, if `kind` is `ambiguous`. Else empty.',
  }),
  matched_by: nullable(
    matchedBy('The member of the delegation that identifies the agent or the candidates. null: none does.'),
  ),
  label: nullable(
    Type.String({
      description:
        'The first of `agent_id`, `agent_card_url`, `url` and `name` that the delegation has, cut off after 255 ' +
        'characters. null: it has none.',
    }),
  ),
})
export type DelegationEdge = Static<typeof DelegationEdge>

const PathStep = Type.Object({
  from: described(Uuid, 'Id of the agent that delegates.'),
  position,
  to: nullable(
    described(Uuid, 'Id of the agent that the delegation leads to. null: it is external or ambiguous.'),
  ),
})

const weakest = <const Values extends readonly string[]>(values: Values, subject: string) =>
  Type.Object(
    {
      value: nullable(
        oneOf(values, {
          description:
            `The weakest ${subject}. null: an external or ambiguous delegation was reached, which is weaker than ` +
            'every value.',
        }),
      ),
      path: Type.Array(PathStep, {
        description:
          'The shortest way to it: the delegations to follow, in order. Empty: it is the agent of the request itself.',
      }),
    },
    { description: `The weakest ${subject} among the agent and everything that it delegates to.` },
  )

export const AgentDelegation = Type.Object(
  {
    agent_id: described(Uuid, 'Id of the agent in the request.'),
    nodes: Type.Array(DelegationNode, {
      description: 'The agents that were reached, nearest first. The first one is the agent of the request.',
    }),
    edges: Type.Array(DelegationEdge, {
      description: 'Their delegations, in the order of `nodes` and of `position`.',
    }),
    cycles: Type.Array(Type.Array(Uuid), {
      description:
        'Groups of agents that delegate to each other, directly or through others; an agent that delegates to ' +
        'itself is a group of one. A cycle is not an error.',
    }),
    weakest: Type.Object(
      {
        trust_stage: weakest(TRUST_STAGES, 'trust stage'),
        protection_status: weakest(PROTECTION_STATUSES, 'protection status'),
        evaluation: weakest(EVALUATION_STATES, 'state of an evaluation'),
      },
      {
        description:
          'The effective trust: an agent is as weak as the weakest one that it delegates to. If `complete` is ' +
          'false, something that was not reached may be weaker.',
      },
    ),
    complete: Type.Boolean({
      description: 'true: the response contains everything that the agent delegates to.',
    }),
    limits: Type.Array(oneOf(WALK_LIMITS), {
      description:
        'Why the response is not complete. `depth`: agents at the last depth delegate further. `nodes`: more than ' +
        '1,000 agents. `edges`: more than 5,000 delegations, or 1,000 of one agent. `time`: it took longer than a ' +
        'second. Empty if `complete` is true.',
    }),
  },
  {
    $id: 'AgentDelegation',
    description: 'What an agent delegates to, directly and through others, within its team.',
  },
)
export type AgentDelegation = Static<typeof AgentDelegation>

export const AgentDependentPage = Type.Object(
  {
    results: Type.Array(AgentDependent, { description: 'Agents that delegate to the agent, oldest first.' }),
    next_cursor: NextCursor,
  },
  { $id: 'AgentDependentPage', description: 'A page of agents that delegate to an agent directly.' },
)
export type AgentDependentPage = Static<typeof AgentDependentPage>

export const DelegationQuery = Type.Object({
  depth: Type.Optional(
    integer({
      format: 'int32',
      minimum: 1,
      maximum: MAX_DEPTH,
      default: MAX_DEPTH,
      description: `How many delegations to follow in a row, 1 to ${MAX_DEPTH}. Default: ${MAX_DEPTH}.`,
    }),
  ),
})
export type DelegationQuery = Static<typeof DelegationQuery>

export const DependentsQuery = Type.Object({
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})
export type DependentsQuery = Static<typeof DependentsQuery>

export const DELEGATION_SCHEMAS = [AgentDelegation, AgentDependentPage, DependentsImpact, AgentDeletePlan]
