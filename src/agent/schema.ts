import { type Static, Type } from 'typebox'
import {
  Decimal,
  described,
  integer,
  nullable,
  oneOf,
  optionalNullable,
  ref,
  UnixSeconds,
  Uuid,
} from '../api/fields.ts'
import { AgentLatestEvaluation } from './evaluations/schema.ts'
import {
  AGENT_DEFAULTS,
  ORIGIN_FIELDS,
  ORIGIN_SCHEMAS,
  optionalSchemas,
  SETTABLE_FIELDS,
  SETTABLE_SCHEMAS,
  TRUST_STAGES,
} from './fields.ts'
import {
  AgentCapabilities,
  AgentMetadata,
  AgentParams,
  AgentSkill,
  DelegatedAgent,
  ImportMetadata,
  MCPConfig,
  WhiteBoxConfig,
} from './nested-objects.ts'

export {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from './fields.ts'

const {
  agent_name: _name,
  model_name: _model,
  agent_url,
  hub,
  api_key,
  agent_system_prompt,
  rate_limit_requests_per_minute,
  status,
  access_level,
  guard_config_id,
  guard_manually_configured,
  ...otherFields
} = optionalSchemas(SETTABLE_FIELDS, { showDefaults: true })

/** The order is that of the response. */
const AGENT_PROPERTIES = {
  id: described(Uuid, 'Id of the agent, a UUID version 7. The console assigns it on creation.'),
  agent_name: SETTABLE_SCHEMAS.agent_name,
  model_name: SETTABLE_SCHEMAS.model_name,
  team_id: described(Uuid, 'Team that owns the agent: the team of the token that created it.'),
  created_by: described(Uuid, 'User that created the agent.'),
  created_at: described(UnixSeconds, 'Time of creation, Unix time in seconds.'),
  updated_at: described(UnixSeconds, 'Time of the last revision, Unix time in seconds. It never decreases.'),
  agent_url,
  hub,
  api_key,
  agent_system_prompt,
  rate_limit_requests_per_minute,
  status,
  access_level,
  ...otherFields,
  test_score: Type.Optional(nullable(Decimal)),
  trust_stage: Type.Optional(
    oneOf(TRUST_STAGES, {
      description:
        'Trust stage: how much the agent is trusted. An update does not change it: use the lifecycle operation. ' +
        'Default of a new agent: `registered`.',
      default: AGENT_DEFAULTS.trust_stage,
    }),
  ),
  trusted_at: Type.Optional(
    nullable(
      described(
        UnixSeconds,
        'Time when the agent first reached `trusted` or a later stage, Unix time in seconds. null: never.',
      ),
    ),
  ),
  ttt_days: Type.Optional(
    nullable(
      Type.Number({
        description:
          'Time to trust: days from `created_at` to `trusted_at`, rounded to two decimals. null: not trusted yet.',
      }),
    ),
  ),
  guard_config_id,
  guard_manually_configured,
  ...optionalSchemas(ORIGIN_FIELDS),
}

/** The examples of the document. A test sends the requests and compares the responses. */

const AGENT_CREATE_EXAMPLE = {
  agent_name: 'Invoice helper',
  model_name: 'gpt-5.4',
  agent_url: 'https://agents.example/invoice',
  api_key: 'sk-example-4f9a8c7d6e5b4a39',
  agent_system_prompt: 'You answer questions about invoices.',
  agent_params: { temperature: 0.2, max_tokens: 1024 },
  agent_metadata: { role: 'support', tags: ['billing'] },
}

const AGENT_UPDATE_EXAMPLE = {
  status: 'under_review',
  rate_limit_requests_per_minute: 60,
  purpose: 'Answers questions about invoices',
}

const CREATED_AT = 1_735_344_160

const AGENT_VALUES: Record<string, unknown> = {
  ...AGENT_DEFAULTS,
  ...AGENT_CREATE_EXAMPLE,
  id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
  team_id: '7d9f3a52-6c1e-4b8a-9f0d-3e2c1b0a9d8f',
  created_by: '0c7b9a64-2f3d-4e5c-8b1a-6d5e4f3c2b1a',
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
}

/** The response to AGENT_CREATE_EXAMPLE: the secret that it sets is in clear text. */
export const AGENT_CREATED_EXAMPLE = Object.fromEntries(
  Object.keys(AGENT_PROPERTIES).map((name) => [name, AGENT_VALUES[name] ?? null]),
)

/** The agent after both requests. */
const AGENT_EXAMPLE = {
  ...AGENT_CREATED_EXAMPLE,
  ...AGENT_UPDATE_EXAMPLE,
  updated_at: CREATED_AT + 3_600,
  api_key: '********4a39',
}

export const AGENT_LIFECYCLE_EXAMPLE = { trust_stage: 'trusted', reason: 'Passed the hardening campaign' }

/** The response to AGENT_LIFECYCLE_EXAMPLE, one day after the creation. */
export const AGENT_TRUSTED_EXAMPLE = {
  ...AGENT_EXAMPLE,
  updated_at: CREATED_AT + 86_400,
  trust_stage: 'trusted',
  trusted_at: CREATED_AT + 86_400,
  ttt_days: 1,
}

export const Agent = Type.Object(
  {
    ...AGENT_PROPERTIES,
    latest_evaluation: Type.Optional(
      nullable(
        ref(AgentLatestEvaluation, {
          description:
            'Scores of the latest completed evaluation. Present only with `include_scores=true`. null: no evaluation.',
        }),
      ),
    ),
  },
  {
    $id: 'Agent',
    description: 'The configuration of a registered AI agent. A nullable field without a value is null.',
    additionalProperties: false,
    examples: [AGENT_EXAMPLE],
  },
)
export type Agent = Static<typeof Agent>

export const AgentUpdate = Type.Object(optionalNullable(SETTABLE_SCHEMAS), {
  $id: 'AgentUpdate',
  description:
    'Each supplied field replaces the field of the agent; each absent field keeps its value. `null` clears a field ' +
    'that is nullable in Agent. For a field that is not nullable there, `null` is ignored: the field keeps its ' +
    'value. The console ignores fields that are not listed here and names them in the response header ' +
    '`console-ignored-fields`. In a nested field, `{"$secret": "name"}` refers to a named secret of the agent; a ' +
    'name that the agent does not have gets 422.',
  examples: [AGENT_UPDATE_EXAMPLE],
})
export type AgentUpdate = Static<typeof AgentUpdate>

export const AgentCreate = Type.Object(
  {
    ...optionalNullable(SETTABLE_SCHEMAS),
    agent_name: SETTABLE_SCHEMAS.agent_name,
    model_name: SETTABLE_SCHEMAS.model_name,
    ...optionalNullable(ORIGIN_SCHEMAS),
  },
  {
    $id: 'AgentCreate',
    description:
      '`agent_name` and `model_name` are required. Every other field that is absent or `null` gets its default.',
    examples: [AGENT_CREATE_EXAMPLE],
  },
)
export type AgentCreate = Static<typeof AgentCreate>

export const AgentId = Type.Object({ id: described(Uuid, 'Id of the agent, a UUID.') })
export type AgentId = Static<typeof AgentId>

/** A request header that makes a creation safe to retry. */
export const IdempotencyKeyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description:
        'A key that the client chooses for this creation, unique for its user within the team, 1 to 255 printable ' +
        'ASCII characters. A retry of the same user with the same key and body returns the agent that the first ' +
        'request created. Default: no key.',
    }),
  ),
})

/** The query parameters of a read of one agent. */
export const AgentReadQuery = Type.Object({
  revision: Type.Optional(
    integer({
      minimum: 1,
      description: 'Return the agent as it was at this revision. Default: the current revision.',
    }),
  ),
  include_scores: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: the agent contains `latest_evaluation`. It is the newest evaluation even if the query parameter ' +
        '`revision` asks for an older revision. If-None-Match then has no effect, because a new evaluation does not ' +
        'change the revision. Default: false.',
    }),
  ),
})

/** Schemas that the document lists by name. */
export const AGENT_SCHEMAS = [
  AgentParams,
  MCPConfig,
  DelegatedAgent,
  WhiteBoxConfig,
  AgentMetadata,
  ImportMetadata,
  AgentCapabilities,
  AgentSkill,
  AgentLatestEvaluation,
  Agent,
  AgentUpdate,
  AgentCreate,
]

/** The format of an export, in each of its lines. Another format gets another number. */
export const EXPORT_FORMAT = 'console-agent/1'

const { api_key: _, ...MEMBERS } = Agent.properties

export const ExportedAgent = Type.Object(
  {
    format: oneOf([EXPORT_FORMAT], { description: 'The format of the line.' }),
    revision: integer({ minimum: 1, description: 'The revision of the agent.' }),
    ...MEMBERS,
  },
  {
    $id: 'ExportedAgent',
    description: 'An agent in an export: without `api_key` and `white_box_config.github_token`.',
  },
)
