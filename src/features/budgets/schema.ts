import { type Static, Type } from 'typebox'
import { described, integer, nullable, oneOf, PRIORITIES, type Priority, Uuid } from '../../api/fields.ts'

/** The share of the burst that a request of this priority leaves to the others, in percent. */
export const RESERVED_PERCENT: Record<Priority, number> = {
  interactive: 0,
  protection: 0,
  evaluation: 30,
  red_team: 60,
}

const MAX_PERMITS = 1_000

const priority = oneOf(PRIORITIES, {
  description:
    'What the requests to the agent are for. `interactive` and `protection` may use the whole burst, `evaluation` ' +
    'leaves 30 % of it free and `red_team` 60 %.',
})

/** Who counts: all replicas together in Redis, or the replica that responds, by itself. */
export const COUNTED_BY = ['redis', 'replica'] as const
export type CountedBy = (typeof COUNTED_BY)[number]

const countedBy = oneOf(COUNTED_BY, {
  description:
    '`redis`: all replicas count together. `replica`: the replica that responds counts its own share of the limit, ' +
    'because there is no Redis or it does not respond.',
})

export const PermitRequest = Type.Object(
  {
    count: integer({
      format: 'int32',
      minimum: 1,
      maximum: MAX_PERMITS,
      description:
        'How many permits to take, all or none: 1 to 1,000, and at most as many as the burst has for this priority.',
    }),
    priority,
  },
  {
    $id: 'PermitRequest',
    description:
      'Permits to take from the request budget of an agent. A permit is for one request to the agent.',
    examples: [{ count: 5, priority: 'evaluation' }],
  },
)
export type PermitRequest = Static<typeof PermitRequest>

export const PermitGrant = Type.Object(
  {
    granted: integer({
      format: 'int32',
      description: 'How many permits were taken: `count` of the request.',
    }),
    remaining: nullable(
      integer({
        format: 'int32',
        description: 'How many more permits there are now at this priority. null: the agent has no limit.',
      }),
    ),
    counted_by: countedBy,
  },
  { $id: 'PermitGrant', description: 'The permits that a request has taken.' },
)
export type PermitGrant = Static<typeof PermitGrant>

const remaining = (name: Priority) =>
  integer({ format: 'int32', description: `Permits for requests with the priority \`${name}\`.` })

export const RequestBudget = Type.Object(
  {
    agent_id: described(Uuid, 'Id of the agent.'),
    limit: integer({
      format: 'int32',
      description: 'Requests per minute: `rate_limit_requests_per_minute` of the agent.',
    }),
    burst: nullable(
      integer({
        format: 'int32',
        description:
          'How many requests may come at once: those of ten seconds, at least 1. In any minute there are at most ' +
          '`limit` + `burst` - 1. null: a limit above 60 million is no limit.',
      }),
    ),
    remaining: nullable(
      Type.Object(
        {
          interactive: remaining('interactive'),
          protection: remaining('protection'),
          evaluation: remaining('evaluation'),
          red_team: remaining('red_team'),
        },
        { description: 'Permits that can be taken now, by priority. null: the agent has no limit.' },
      ),
    ),
    counted_by: countedBy,
  },
  { $id: 'RequestBudget', description: 'How often services may call an agent.' },
)
export type RequestBudget = Static<typeof RequestBudget>

export const REQUEST_BUDGET_SCHEMAS = [PermitRequest, PermitGrant, RequestBudget]
