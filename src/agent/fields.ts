import { Type } from 'typebox'
import { DecimalInput, described, integer, oneOf, ref, UnixSeconds, Uuid } from '../api/fields.ts'
import {
  AgentCapabilities,
  AgentMetadata,
  AgentParams,
  AgentSkill,
  DelegatedAgent,
  ImportMetadata,
  MCPConfig,
  NO_USER_INFO,
  SET_BY_ORIGIN,
  WhiteBoxConfig,
} from './nested-objects.ts'

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
export const ACCESS_LEVELS = ['black_box', 'grey_box', 'white_box'] as const
export const PROTOCOLS = ['chat_completions', 'a2a'] as const
export const PROTECTION_STATUSES = ['unprotected', 'configured', 'guarded'] as const
export const TRUST_STAGES = ['registered', 'tested', 'hardened', 'trusted', 'optimized', 'adapted'] as const

/** The values of a new agent where the request supplies none. */
export const AGENT_DEFAULTS = {
  hub: 'custom',
  rate_limit_requests_per_minute: 100,
  status: 'active',
  access_level: 'black_box',
  protocol: 'chat_completions',
  protection_status: 'unprotected',
  trust_stage: 'registered',
  guard_manually_configured: false,
  delegated_agents: [],
} as const

export const AGENT_NAME_LENGTH = 255

const text = (maxLength: number, description: string) =>
  Type.String({
    maxLength,
    description: `${description} At most ${maxLength.toLocaleString('en-US')} characters.`,
  })

/** The fields that a client may set, each in its non-null form. Validation errors are reported in this order. */
export const SETTABLE = {
  status: oneOf(AGENT_STATUSES, {
    description:
      "Status of the agent in the team's own workflow. Any transition is allowed. Lists omit `archived` agents unless " +
      'the filter `statuses` names that status. Default of a new agent: `active`.',
  }),
  agent_name: text(AGENT_NAME_LENGTH, 'Display name of the agent. It need not be unique.'),
  agent_url: text(2_048, `Endpoint URL of the agent. ${NO_USER_INFO}`),
  model_name: text(255, 'Name of the model that the agent uses.'),
  api_key: Type.String({
    maxLength: 8_192,
    description:
      'Secret. The key that callers of the agent authenticate with, at most 8,192 characters. Only the response to the ' +
      'request that set it contains it in clear text; every other response contains a mask (eight asterisks, then the ' +
      'last four characters if the secret has 20 or more). To keep the secret, send the mask back or omit the field.',
  }),
  agent_system_prompt: text(262_144, 'System prompt of the agent.'),
  hub: text(
    255,
    'Name of the platform that hosts the agent, such as `openai`; `custom` for an agent on no such platform. The ' +
      'console does not interpret it. Default of a new agent: `custom`.',
  ),
  rate_limit_requests_per_minute: integer({
    format: 'int32',
    minimum: 1,
    description:
      'How many requests per minute the agent accepts from all services that call it together, 1 to 2,147,483,647. The console ' +
      'counts the requests that take a permit from the request budget of the agent. Default of a new agent: 100.',
  }),
  access_level: oneOf(ACCESS_LEVELS, {
    description:
      'How much of the agent the services that test it may see. `black_box`: URL only, behavioural testing only. ' +
      '`grey_box`: agent configuration, analysis of structure and capabilities. `white_box`: source code access, full ' +
      'code and sandbox runtime analysis. Default of a new agent: `black_box`.',
  }),
  agent_params: ref(AgentParams, { description: 'Model parameters, such as the temperature.' }),
  mcp_config: ref(MCPConfig, { description: 'Proxy configuration for the Model Context Protocol (MCP).' }),
  delegated_agents: Type.Array(ref(DelegatedAgent), {
    description: 'Other agents that this agent delegates work to. Empty when there are none.',
  }),
  white_box_config: ref(WhiteBoxConfig, {
    description:
      'Source-code access configuration, for the access level `white_box`. An update replaces it as a whole.',
  }),
  agent_metadata: ref(AgentMetadata, { description: 'Display and organisation data, such as tags.' }),
  purpose: text(16_384, 'What the agent is for, in prose.'),
  protocol: oneOf(PROTOCOLS, {
    description:
      'Protocol that the agent speaks at `agent_url`. `chat_completions`: the chat completions API. `a2a`: the ' +
      'Agent2Agent protocol. Default of a new agent: `chat_completions`.',
  }),
  test_score: DecimalInput,
  last_tested_by: text(255, 'Person or service that tested the agent last.'),
  evaluated_harnesses: Type.Array(Type.String({ maxLength: 255 }), {
    description:
      'Names of the harnesses (test suites of the evaluation service) that the agent was evaluated with. At most 255 ' +
      'characters each.',
  }),
  last_evaluated_at: described(UnixSeconds, 'Time of the last evaluation, Unix time in seconds.'),
  protection_status: oneOf(PROTECTION_STATUSES, {
    description:
      'Protection state of the agent. `unprotected`: no guardrail. `configured`: a guardrail is configured and not yet ' +
      'active. `guarded`: a guardrail is active. Any transition is allowed. Default of a new agent: `unprotected`.',
  }),
  guard_config_id: described(Uuid, 'Id of the guardrail configuration in the protection service.'),
  guard_manually_configured: Type.Boolean({
    description:
      'true: a person configured the guardrail, not the protection service. Default of a new agent: false.',
  }),
}

/** The fields that describe where an agent came from. A creation sets them, and after it only an import or a configuration
 * set: an update by `PUT` ignores them. */
export const ORIGIN = {
  import_metadata: ref(ImportMetadata, {
    description: `How the agent was imported. ${SET_BY_ORIGIN} Default: \`{"source": "manual"}\`.`,
  }),
  capabilities: ref(AgentCapabilities, {
    description: `Capability flags. ${SET_BY_ORIGIN} Default: \`{}\`.`,
  }),
  skills: Type.Array(ref(AgentSkill), {
    description: `Skill definitions of an \`a2a\` agent. ${SET_BY_ORIGIN} Default: \`[]\`.`,
  }),
}
