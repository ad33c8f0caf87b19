import { type Static, Type } from 'typebox'
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
} from './agent-parts.ts'
import { Decimal, DecimalInput } from './decimal.ts'
import { AGENT_CREATE_EXAMPLE, AGENT_EXAMPLE, AGENT_UPDATE_EXAMPLE } from './examples.ts'
import { integer, nullable, oneOf, optionalNullable, ref, UnixSeconds, Uuid } from './fields.ts'

export const AGENT_STATUSES = [
  'draft',
  'creating',
  'active',
  'under_review',
  'deprecated',
  'archived',
  'pending',
  'rejected',
] as const
const ACCESS_LEVELS = ['black_box', 'grey_box', 'white_box'] as const
const PROTOCOLS = ['chat_completions', 'a2a'] as const
export const PROTECTION_STATUSES = ['unprotected', 'configured', 'guarded'] as const
export const TRUST_STAGES = ['registered', 'tested', 'hardened', 'trusted', 'optimized', 'adapted'] as const

/** What a new agent has where the caller says nothing. */
export const AGENT_DEFAULTS = {
  hub: 'custom',
  rate_limit_requests_per_minute: 100,
  status: 'active',
  access_level: 'black_box',
  protocol: 'chat_completions',
  protection_status: 'unprotected',
  trust_stage: 'registered',
  guard_manually_configured: false,
} as const

const Secret = Type.String({
  maxLength: 8_192,
  description:
    'Secret. Shown in clear only in the answer to the write that supplied it; every other answer shows a mask. ' +
    'Writing the mask back keeps the secret.',
})

/** The fields a client may set, each in the form it has when it is not null. The order is the order in
 * which faults are reported. */
const settable = {
  status: oneOf(AGENT_STATUSES),
  agent_name: Type.String({ maxLength: 255 }),
  agent_url: Type.String({ maxLength: 2_048 }),
  model_name: Type.String({ maxLength: 255 }),
  api_key: Secret,
  agent_system_prompt: Type.String({ maxLength: 262_144 }),
  hub: Type.String({ maxLength: 255 }),
  rate_limit_requests_per_minute: integer({ format: 'int32', minimum: 1 }),
  access_level: oneOf(ACCESS_LEVELS, {
    description:
      '`black_box`: URL only, behavioural testing only; `grey_box`: agent configuration, analysis of structure ' +
      'and capabilities; `white_box`: source code access, full code and sandbox runtime analysis',
  }),
  agent_params: ref(AgentParams),
  mcp_config: ref(MCPConfig),
  delegated_agents: Type.Array(ref(DelegatedAgent)),
  white_box_config: ref(WhiteBoxConfig),
  agent_metadata: ref(AgentMetadata),
  purpose: Type.String({ maxLength: 16_384 }),
  protocol: oneOf(PROTOCOLS),
  test_score: DecimalInput,
  last_tested_by: Type.String({ maxLength: 255 }),
  evaluated_harnesses: Type.Array(Type.String({ maxLength: 255 })),
  last_evaluated_at: UnixSeconds,
  protection_status: oneOf(PROTECTION_STATUSES),
  guard_config_id: Uuid,
  guard_manually_configured: Type.Boolean(),
}

/** How the agent came to be: told once, at creation. */
const origin = {
  import_metadata: ref(ImportMetadata),
  capabilities: ref(AgentCapabilities),
  skills: Type.Array(ref(AgentSkill)),
}

const withDefault = <Schema extends object>(schema: Schema, value: unknown): Schema => ({
  ...schema,
  default: value,
})

const D = AGENT_DEFAULTS

export const Agent = Type.Object(
  {
    id: Uuid,
    agent_name: settable.agent_name,
    model_name: settable.model_name,
    team_id: Uuid,
    created_by: Uuid,
    created_at: UnixSeconds,
    updated_at: UnixSeconds,
    agent_url: Type.Optional(nullable(settable.agent_url)),
    hub: Type.Optional(withDefault(settable.hub, D.hub)),
    api_key: Type.Optional(nullable(settable.api_key)),
    agent_system_prompt: Type.Optional(nullable(settable.agent_system_prompt)),
    rate_limit_requests_per_minute: Type.Optional(
      withDefault(settable.rate_limit_requests_per_minute, D.rate_limit_requests_per_minute),
    ),
    status: Type.Optional(withDefault(settable.status, D.status)),
    access_level: Type.Optional(withDefault(settable.access_level, D.access_level)),
    agent_params: Type.Optional(nullable(settable.agent_params)),
    mcp_config: Type.Optional(nullable(settable.mcp_config)),
    delegated_agents: Type.Optional(settable.delegated_agents),
    white_box_config: Type.Optional(nullable(settable.white_box_config)),
    agent_metadata: Type.Optional(nullable(settable.agent_metadata)),
    purpose: Type.Optional(nullable(settable.purpose)),
    protocol: Type.Optional(withDefault(settable.protocol, D.protocol)),
    test_score: Type.Optional(nullable(Decimal)),
    last_tested_by: Type.Optional(nullable(settable.last_tested_by)),
    evaluated_harnesses: Type.Optional(nullable(settable.evaluated_harnesses)),
    last_evaluated_at: Type.Optional(nullable(settable.last_evaluated_at)),
    protection_status: Type.Optional(withDefault(settable.protection_status, D.protection_status)),
    trust_stage: Type.Optional(withDefault(oneOf(TRUST_STAGES), D.trust_stage)),
    trusted_at: Type.Optional(nullable(UnixSeconds)),
    ttt_days: Type.Optional(
      nullable(Type.Number({ description: 'Time to trust: days from creation to trust' })),
    ),
    guard_config_id: Type.Optional(nullable(Uuid)),
    guard_manually_configured: Type.Optional(
      withDefault(settable.guard_manually_configured, D.guard_manually_configured),
    ),
    import_metadata: Type.Optional(origin.import_metadata),
    capabilities: Type.Optional(origin.capabilities),
    skills: Type.Optional(origin.skills),
    latest_evaluation: Type.Optional(nullable(ref(AgentLatestEvaluation))),
  },
  {
    $id: 'Agent',
    description: 'A registered AI agent',
    additionalProperties: false,
    examples: [AGENT_EXAMPLE],
  },
)
export type Agent = Static<typeof Agent>

export const AgentUpdate = Type.Object(optionalNullable(settable), {
  $id: 'AgentUpdate',
  description:
    'A supplied field replaces, an absent field keeps. `null` clears a field that may be null in Agent and ' +
    'keeps the others. Unknown fields are ignored and named in the header `console-ignored-fields`.',
  examples: [AGENT_UPDATE_EXAMPLE],
})
export type AgentUpdate = Static<typeof AgentUpdate>

export const AgentCreate = Type.Object(
  {
    ...optionalNullable(settable),
    agent_name: settable.agent_name,
    model_name: settable.model_name,
    ...optionalNullable(origin),
  },
  {
    $id: 'AgentCreate',
    description: 'Every field but the two names may be left out; `null` is the same as leaving it out.',
    examples: [AGENT_CREATE_EXAMPLE],
  },
)
export type AgentCreate = Static<typeof AgentCreate>

export const AgentId = Type.Object({ id: Uuid })
export type AgentId = Static<typeof AgentId>

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
