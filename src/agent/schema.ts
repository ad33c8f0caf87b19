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
import { AGENT_DEFAULTS, ORIGIN, SETTABLE, TRUST_STAGES } from './fields.ts'
import {
  AgentCapabilities,
  AgentLatestEvaluation,
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
  AGENT_DEFAULTS,
  AGENT_STATUSES,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from './fields.ts'

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

const AGENT_EXAMPLE = {
  id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
  agent_name: 'Invoice helper',
  model_name: 'gpt-5.4',
  team_id: '7d9f3a52-6c1e-4b8a-9f0d-3e2c1b0a9d8f',
  created_by: '0c7b9a64-2f3d-4e5c-8b1a-6d5e4f3c2b1a',
  created_at: 1_735_344_160,
  updated_at: 1_735_347_760,
  agent_url: 'https://agents.example/invoice',
  hub: 'custom',
  api_key: '********4a39',
  agent_system_prompt: 'You answer questions about invoices.',
  rate_limit_requests_per_minute: 60,
  status: 'under_review',
  access_level: 'black_box',
  agent_params: { temperature: 0.2, max_tokens: 1024 },
  mcp_config: null,
  delegated_agents: [],
  white_box_config: null,
  agent_metadata: { role: 'support', tags: ['billing'] },
  purpose: 'Answers questions about invoices',
  protocol: 'chat_completions',
  test_score: null,
  last_tested_by: null,
  evaluated_harnesses: null,
  last_evaluated_at: null,
  protection_status: 'unprotected',
  trust_stage: 'registered',
  trusted_at: null,
  ttt_days: null,
  guard_config_id: null,
  guard_manually_configured: false,
  import_metadata: { source: 'manual' },
  capabilities: {},
  skills: [],
}

/** The response to AGENT_CREATE_EXAMPLE: the secret that it sets is in clear text. */
export const AGENT_CREATED_EXAMPLE = {
  ...AGENT_EXAMPLE,
  ...AGENT_CREATE_EXAMPLE,
  updated_at: AGENT_EXAMPLE.created_at,
  rate_limit_requests_per_minute: 100,
  status: 'active',
  purpose: null,
}

export const AGENT_LIFECYCLE_EXAMPLE = { trust_stage: 'trusted', reason: 'Passed the hardening campaign' }

/** The response to AGENT_LIFECYCLE_EXAMPLE, one day after the creation. */
export const AGENT_TRUSTED_EXAMPLE = {
  ...AGENT_EXAMPLE,
  updated_at: AGENT_EXAMPLE.created_at + 86_400,
  trust_stage: 'trusted',
  trusted_at: AGENT_EXAMPLE.created_at + 86_400,
  ttt_days: 1,
}

const withDefault = <Schema extends object>(schema: Schema, value: unknown): Schema => ({
  ...schema,
  default: value,
})

export const Agent = Type.Object(
  {
    id: described(Uuid, 'Id of the agent, a UUID version 7. The console assigns it on creation.'),
    agent_name: SETTABLE.agent_name,
    model_name: SETTABLE.model_name,
    team_id: described(Uuid, 'Team that owns the agent: the team of the token that created it.'),
    created_by: described(Uuid, 'User that created the agent.'),
    created_at: described(UnixSeconds, 'Time of creation, Unix time in seconds.'),
    updated_at: described(
      UnixSeconds,
      'Time of the last revision, Unix time in seconds. It never decreases.',
    ),
    agent_url: Type.Optional(nullable(SETTABLE.agent_url)),
    hub: Type.Optional(withDefault(SETTABLE.hub, AGENT_DEFAULTS.hub)),
    api_key: Type.Optional(nullable(SETTABLE.api_key)),
    agent_system_prompt: Type.Optional(nullable(SETTABLE.agent_system_prompt)),
    rate_limit_requests_per_minute: Type.Optional(
      withDefault(SETTABLE.rate_limit_requests_per_minute, AGENT_DEFAULTS.rate_limit_requests_per_minute),
    ),
    status: Type.Optional(withDefault(SETTABLE.status, AGENT_DEFAULTS.status)),
    access_level: Type.Optional(withDefault(SETTABLE.access_level, AGENT_DEFAULTS.access_level)),
    agent_params: Type.Optional(nullable(SETTABLE.agent_params)),
    mcp_config: Type.Optional(nullable(SETTABLE.mcp_config)),
    delegated_agents: Type.Optional(SETTABLE.delegated_agents),
    white_box_config: Type.Optional(nullable(SETTABLE.white_box_config)),
    agent_metadata: Type.Optional(nullable(SETTABLE.agent_metadata)),
    purpose: Type.Optional(nullable(SETTABLE.purpose)),
    protocol: Type.Optional(withDefault(SETTABLE.protocol, AGENT_DEFAULTS.protocol)),
    test_score: Type.Optional(nullable(Decimal)),
    last_tested_by: Type.Optional(nullable(SETTABLE.last_tested_by)),
    evaluated_harnesses: Type.Optional(nullable(SETTABLE.evaluated_harnesses)),
    last_evaluated_at: Type.Optional(nullable(SETTABLE.last_evaluated_at)),
    protection_status: Type.Optional(
      withDefault(SETTABLE.protection_status, AGENT_DEFAULTS.protection_status),
    ),
    trust_stage: Type.Optional(
      withDefault(
        oneOf(TRUST_STAGES, {
          description:
            'Trust stage: how much the agent is trusted. An update does not change it: use the lifecycle operation. ' +
            'Default of a new agent: `registered`.',
        }),
        AGENT_DEFAULTS.trust_stage,
      ),
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
    guard_config_id: Type.Optional(nullable(SETTABLE.guard_config_id)),
    guard_manually_configured: Type.Optional(
      withDefault(SETTABLE.guard_manually_configured, AGENT_DEFAULTS.guard_manually_configured),
    ),
    import_metadata: Type.Optional(ORIGIN.import_metadata),
    capabilities: Type.Optional(ORIGIN.capabilities),
    skills: Type.Optional(ORIGIN.skills),
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

export const AgentUpdate = Type.Object(optionalNullable(SETTABLE), {
  $id: 'AgentUpdate',
  description:
    'Each supplied field replaces the field of the agent; each absent field keeps its value. `null` clears a field that ' +
    'is nullable in Agent. For a field that is not nullable there, `null` is ignored: the field keeps its value. The ' +
    'console ignores fields that are not listed here and names them in the response header `console-ignored-fields`. In a nested ' +
    'field, `{"$secret": "name"}` refers to a named secret of the agent; a name that the agent does not have gets 422.',
  examples: [AGENT_UPDATE_EXAMPLE],
})
export type AgentUpdate = Static<typeof AgentUpdate>

export const AgentCreate = Type.Object(
  {
    ...optionalNullable(SETTABLE),
    agent_name: SETTABLE.agent_name,
    model_name: SETTABLE.model_name,
    ...optionalNullable(ORIGIN),
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
        'A key that the client chooses for this creation, unique for its user within the team, 1 to 255 printable ASCII ' +
        'characters. A retry of the same user with the same key and body returns the agent that the first request created. ' +
        'Default: no key.',
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
        'true: the agent contains `latest_evaluation`. It is the newest evaluation even if the query parameter `revision` ' +
        'asks for an older revision. If-None-Match then has no effect, because a new evaluation does not change the ' +
        'revision. Default: false.',
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
