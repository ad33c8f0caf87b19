import { type Static, Type } from 'typebox'
import { DependentsImpact } from '../../agent/dependents.ts'
import { AgentLifecycle } from '../../agent/lifecycle/lifecycle.ts'
import { AgentUpdate } from '../../agent/schema.ts'
import type { Permission } from '../../api/caller.ts'
import { described, integer, nullable, oneOf, ref, Uuid } from '../../api/fields.ts'
import { ValidationError } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import { AGENT_FILTERS } from '../list/feature.ts'

// What requests that change many agents have in common.

/** Codes of results for which a repetition may have another result. */
export const TEMPORARY_CODES = [
  'too_many_requests',
  'overloaded',
  'database_unavailable',
  'agent_busy',
  'outcome_unknown',
  'internal',
] as const satisfies readonly ProblemCode[]

/** The codes of a result. `validation_error` stands for a 422. */
export const RESULT_CODES = [
  'validation_error',
  'permission_missing',
  'agent_not_found',
  'revision_stale',
  'agent_too_large',
  ...TEMPORARY_CODES,
] as const satisfies readonly (ProblemCode | 'validation_error')[]

export const idempotencyKeyHeader = (description: string) =>
  Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: '^[ -~]*$', description }),
    ),
  })

export const MAX_BULK_AGENTS = 500

/** What a bulk request can do, and the permission that each action needs besides `agent:read`. */
export const BULK_PERMISSIONS = {
  update: 'agent:write',
  lifecycle: 'agent:lifecycle',
  delete: 'agent:delete',
} as const satisfies Record<string, Permission>
export type BulkAction = keyof typeof BULK_PERMISSIONS

const EXAMPLE_IDS = ['01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d', '01940b5e-8a10-7c2d-8e4f-1a2b3c4d5e6f'] as const

/** A misspelt filter would match other agents, and a misspelt `revision` would change them. */
const NO_OTHER_MEMBERS = { additionalProperties: false } as const

export const AgentBulk = Type.Object(
  {
    agents: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: described(Uuid, 'Id of the agent, a UUID. Each agent may occur once.'),
            revision: Type.Optional(
              integer({
                minimum: 1,
                description:
                  'Revision that the client read. If the agent is at another one, its result is ' +
                  '`revision_stale`. Default: any revision.',
              }),
            ),
          },
          NO_OTHER_MEMBERS,
        ),
        {
          minItems: 1,
          maxItems: MAX_BULK_AGENTS,
          description:
            `The agents to change, 1 to ${MAX_BULK_AGENTS}. Default: those that \`filters\` match. Send one of ` +
            'the two.',
        },
      ),
    ),
    filters: Type.Optional(
      Type.Object(AGENT_FILTERS, {
        ...NO_OTHER_MEMBERS,
        description:
          `Change the agents that match these filters, as in the list of agents; at most ${MAX_BULK_AGENTS}. ` +
          `\`{}\` matches every agent that is not archived.`,
      }),
    ),
    expected_count: Type.Optional(
      integer({
        format: 'int32',
        minimum: 0,
        maximum: MAX_BULK_AGENTS,
        description:
          'How many agents the client expects `filters` to match. If they match more or fewer, nothing changes, ' +
          'and the response is 409 `match_count_differs`. Required with `filters`, except with `dry_run`.',
      }),
    ),
    update: Type.Optional(
      ref(AgentUpdate, {
        description:
          'Update each agent with these values, as `PUT /v1/agent-configurations/{id}` does. `api_key` and ' +
          '`white_box_config` get 422: a bulk request changes no secrets. Send one of `update`, `lifecycle` and ' +
          '`delete`.',
      }),
    ),
    lifecycle: Type.Optional(
      ref(AgentLifecycle, { description: 'Change the trust stage of each agent. Default: do not.' }),
    ),
    delete: Type.Optional(
      Type.Object(
        {
          erase: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                'true: erase the agents as soon as possible. They cannot be recovered. Default: false.',
            }),
          ),
        },
        {
          ...NO_OTHER_MEMBERS,
          description: 'Delete each agent. Send `{}` to delete them so that they can be recovered.',
        },
      ),
    ),
  },
  {
    $id: 'AgentBulk',
    ...NO_OTHER_MEMBERS,
    description:
      'One change of many agents. An unknown member gets 422, also in `agents`, `filters` and `delete`, and ' +
      'nothing changes.',
    examples: [
      {
        agents: [{ id: EXAMPLE_IDS[0], revision: 7 }, { id: EXAMPLE_IDS[1] }],
        update: { model_name: 'gpt-5.2' },
      },
      { filters: { statuses: ['deprecated'] }, expected_count: 12, update: { status: 'archived' } },
      { filters: { tags: ['pilot'] }, expected_count: 2, lifecycle: { trust_stage: 'tested' } },
    ],
  },
)
export type AgentBulk = Static<typeof AgentBulk>

const OUTCOMES = ['changed', 'unchanged', 'would_change', 'failed'] as const

const CODES = [...RESULT_CODES, 'has_dependents'] as const
export type BulkErrorCode = (typeof CODES)[number]

export const MAX_BULK_ERRORS = 5

const AgentBulkError = Type.Object(
  {
    code: oneOf(CODES, {
      description:
        'Stable code of the error, as in the response of the operation for one agent. `validation_error`: that ' +
        'operation would return 422.',
    }),
    detail: Type.String({ description: 'What is wrong and what to do, as a sentence for readers.' }),
    errors: Type.Array(ref(ValidationError), {
      description: `With \`validation_error\`: the first ${MAX_BULK_ERRORS} validation errors. Else empty.`,
    }),
  },
  { description: 'Why the agent was not changed. null: it did not fail.' },
)

const BulkItemResult = Type.Object({
  id: described(Uuid, 'Id of the agent.'),
  outcome: oneOf(OUTCOMES, {
    description:
      '`changed`: the agent has a new revision. `unchanged`: it has these values already. `would_change`: with ' +
      '`dry_run`, it would get a new revision. `failed`: see `error`.',
  }),
  revision: nullable(
    integer({
      minimum: 1,
      description:
        'The revision that the request made; the current one if it made none. null: the agent failed.',
    }),
  ),
  fields: Type.Array(Type.String(), {
    description: 'Names of the fields that changed, or would. Empty for a deletion.',
  }),
  impact: nullable(
    ref(DependentsImpact, {
      description:
        'With `would_change`: the agents that delegate to the agent. null for every other outcome.',
    }),
  ),
  error: nullable(AgentBulkError),
})
export type BulkItemResult = Static<typeof BulkItemResult>

const count = (what: string) => integer({ format: 'int32', description: `Number of agents ${what}.` })

export const AgentBulkResult = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'true: nothing was changed.' }),
    counts: Type.Object(
      {
        changed: count('that the request changed'),
        unchanged: count('that have these values already'),
        would_change: count('that the request would change, with `dry_run`'),
        failed: count('that failed'),
      },
      { description: 'How many agents have each outcome.' },
    ),
    results: Type.Array(BulkItemResult, {
      description:
        'One result for each agent: in the order of `agents`; with `filters` in the order of creation, oldest first.',
    }),
  },
  {
    $id: 'AgentBulkResult',
    description: 'What a bulk request did, or would do.',
    examples: [
      {
        dry_run: false,
        counts: { changed: 1, unchanged: 0, would_change: 0, failed: 1 },
        results: [
          {
            id: EXAMPLE_IDS[0],
            outcome: 'changed',
            revision: 8,
            fields: ['model_name'],
            impact: null,
            error: null,
          },
          {
            id: EXAMPLE_IDS[1],
            outcome: 'failed',
            revision: null,
            fields: [],
            impact: null,
            error: {
              code: 'agent_not_found',
              detail: 'Your team has no agent with this id. Check the id.',
              errors: [],
            },
          },
        ],
      },
    ],
  },
)
export type AgentBulkResult = Static<typeof AgentBulkResult>

export const BulkIdempotencyKey = idempotencyKeyHeader(
  'A key that the client chooses for this request, unique among the bulk requests of its user within the team, 1 ' +
    'to 255 printable ASCII characters. A repetition with the same key and body works on the same agents, ' +
    'changes none of them a second time, and returns the results of the first request; agents that it did not ' +
    'reach are changed now. With another body it gets 409 `idempotency_conflict`. Default: no key.',
)

export const BULK_SCHEMAS = [AgentBulk, AgentBulkResult]
