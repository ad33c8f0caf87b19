import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox'
import { DecimalInput, described, integer, nullable, oneOf, ref, UnixSeconds, Uuid } from '../api/fields.ts'
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

export const AGENT_NAME_LENGTH = 255

export type ColumnType = 'text' | 'integer' | 'bigint' | 'boolean' | 'uuid' | 'numeric' | 'json'

/** A field that clients set. It may be null, unless it has a default or is required. */
export interface Field {
  /** Its values other than null. */
  schema: TSchema
  /** The SQL type of its column. Columns of type json are compared as JSON values, numeric ones as decimal numbers.
   * Absent: a secret, which has columns of its own. */
  type?: ColumnType
  /** The value of a new agent if the request supplies none. */
  default?: unknown
  /** A request that creates an agent must supply it. */
  isRequired?: true
  /** It decides how the agent behaves: if it changes, the evaluation is no longer current. */
  isBehaviour?: true
  /** It says what was done with the agent, such as a review or a test. A copy of the agent does not get it. */
  isEarned?: true
  /** Where URLs are in it. A URL with a user name or a password is refused; see NO_USER_INFO. */
  urls?: readonly string[]
}

const text = (maxLength: number, description: string) =>
  Type.String({
    maxLength,
    description: `${description} At most ${maxLength.toLocaleString('en-US')} characters.`,
  })

/** The fields that an update by `PUT` changes, and no other. Validation errors, revisions and events have this
 * order. */
export const SETTABLE_FIELDS = {
  status: {
    schema: oneOf(AGENT_STATUSES, {
      description:
        "Status of the agent in the team's own workflow. Any transition is allowed. Lists omit `archived` agents " +
        'unless the filter `statuses` names that status. Default of a new agent: `active`.',
    }),
    type: 'text',
    default: 'active',
    isEarned: true,
  },
  agent_name: {
    schema: text(AGENT_NAME_LENGTH, 'Display name of the agent. It need not be unique.'),
    type: 'text',
    isRequired: true,
  },
  agent_url: {
    schema: text(2_048, `Endpoint URL of the agent. ${NO_USER_INFO}`),
    type: 'text',
    isBehaviour: true,
    urls: ['agent_url'],
  },
  model_name: {
    schema: text(255, 'Name of the model that the agent uses.'),
    type: 'text',
    isRequired: true,
    isBehaviour: true,
  },
  api_key: {
    schema: Type.String({
      maxLength: 8_192,
      description:
        'Secret. The key that callers of the agent authenticate with, at most 8,192 characters. Only the response to ' +
        'the request that set it contains it in clear text; every other response contains a mask (eight asterisks, ' +
        'then the last four characters if the secret has 20 or more). To keep the secret, send the mask back or omit ' +
        'the field.',
    }),
  },
  agent_system_prompt: {
    schema: text(262_144, 'System prompt of the agent.'),
    type: 'text',
    isBehaviour: true,
  },
  hub: {
    schema: text(
      255,
      'Name of the platform that hosts the agent, such as `openai`; `custom` for an agent on no such platform. The ' +
        'console does not interpret it. Default of a new agent: `custom`.',
    ),
    type: 'text',
    default: 'custom',
    isBehaviour: true,
  },
  rate_limit_requests_per_minute: {
    schema: integer({
      format: 'int32',
      minimum: 1,
      description:
        'How many requests per minute the agent accepts from all services that call it together, 1 to 2,147,483,647. ' +
        'The console counts the requests that take a permit from the request budget of the agent. Default of a new ' +
        'agent: 100.',
    }),
    type: 'integer',
    default: 100,
  },
  access_level: {
    schema: oneOf(ACCESS_LEVELS, {
      description:
        'How much of the agent the services that test it may see. `black_box`: URL only, behavioural testing only. ' +
        '`grey_box`: agent configuration, analysis of structure and capabilities. `white_box`: source code access, ' +
        'full code and sandbox runtime analysis. Default of a new agent: `black_box`.',
    }),
    type: 'text',
    default: 'black_box',
  },
  agent_params: {
    schema: ref(AgentParams, { description: 'Model parameters, such as the temperature.' }),
    type: 'json',
    isBehaviour: true,
  },
  mcp_config: {
    schema: ref(MCPConfig, { description: 'Proxy configuration for the Model Context Protocol (MCP).' }),
    type: 'json',
    isBehaviour: true,
    urls: ['mcp_config.proxy_url', 'mcp_config.server_urls.*'],
  },
  delegated_agents: {
    schema: Type.Array(ref(DelegatedAgent), {
      description: 'Other agents that this agent delegates work to. Empty when there are none.',
    }),
    type: 'json',
    default: [],
    isBehaviour: true,
    urls: ['delegated_agents.*.url', 'delegated_agents.*.agent_card_url'],
  },
  white_box_config: {
    schema: ref(WhiteBoxConfig, {
      description:
        'Source-code access configuration, for the access level `white_box`. An update replaces it as a whole.',
    }),
    type: 'json',
    isBehaviour: true,
    urls: ['white_box_config.repo_url'],
  },
  agent_metadata: {
    schema: ref(AgentMetadata, { description: 'Display and organisation data, such as tags.' }),
    type: 'json',
  },
  purpose: { schema: text(16_384, 'What the agent is for, in prose.'), type: 'text' },
  protocol: {
    schema: oneOf(PROTOCOLS, {
      description:
        'Protocol that the agent speaks at `agent_url`. `chat_completions`: the chat completions API. `a2a`: the ' +
        'Agent2Agent protocol. Default of a new agent: `chat_completions`.',
    }),
    type: 'text',
    default: 'chat_completions',
    isBehaviour: true,
  },
  test_score: { schema: DecimalInput, type: 'numeric', isEarned: true },
  last_tested_by: {
    schema: text(255, 'Person or service that tested the agent last.'),
    type: 'text',
    isEarned: true,
  },
  evaluated_harnesses: {
    schema: Type.Array(Type.String({ maxLength: 255 }), {
      description:
        'Names of the harnesses (test suites of the evaluation service) that the agent was evaluated with. At most ' +
        '255 characters each.',
    }),
    type: 'json',
    isEarned: true,
  },
  last_evaluated_at: {
    schema: described(UnixSeconds, 'Time of the last evaluation, Unix time in seconds.'),
    type: 'bigint',
    isEarned: true,
  },
  protection_status: {
    schema: oneOf(PROTECTION_STATUSES, {
      description:
        'Protection state of the agent. `unprotected`: no guardrail. `configured`: a guardrail is configured and not ' +
        'yet active. `guarded`: a guardrail is active. Any transition is allowed. Default of a new agent: ' +
        '`unprotected`.',
    }),
    type: 'text',
    default: 'unprotected',
    isEarned: true,
  },
  guard_config_id: {
    schema: described(Uuid, 'Id of the guardrail configuration in the protection service.'),
    type: 'uuid',
    isEarned: true,
  },
  guard_manually_configured: {
    schema: Type.Boolean({
      description:
        'true: a person configured the guardrail, not the protection service. Default of a new agent: false.',
    }),
    type: 'boolean',
    default: false,
    isEarned: true,
  },
} satisfies Record<string, Field>

/** The fields that describe where an agent came from. A creation sets them, and after it only an import or a
 * configuration set: an update by `PUT` ignores them. */
export const ORIGIN_FIELDS = {
  import_metadata: {
    schema: ref(ImportMetadata, {
      description: `How the agent was imported. ${SET_BY_ORIGIN} Default: \`{"source": "manual"}\`.`,
    }),
    type: 'json',
    default: { source: 'manual' },
    urls: ['import_metadata.source_url'],
  },
  capabilities: {
    schema: ref(AgentCapabilities, {
      description: `Capability flags. ${SET_BY_ORIGIN} Default: \`{}\`.`,
    }),
    type: 'json',
    default: {},
  },
  skills: {
    schema: Type.Array(ref(AgentSkill), {
      description: `Skill definitions of an \`a2a\` agent. ${SET_BY_ORIGIN} Default: \`[]\`.`,
    }),
    type: 'json',
    default: [],
  },
} satisfies Record<string, Field>

type Fields = Record<string, Field>
type NeverNull = { default: unknown } | { isRequired: true }

export function isNeverNull(field: Field): boolean {
  return 'default' in field || 'isRequired' in field
}

const rows = Object.entries<Field>({ ...SETTABLE_FIELDS, ...ORIGIN_FIELDS })

/** The values of a new agent where the request supplies none. */
export const AGENT_DEFAULTS: Record<string, unknown> & { trust_stage: string } = {
  ...Object.fromEntries(rows.flatMap(([name, field]) => ('default' in field ? [[name, field.default]] : []))),
  trust_stage: 'registered',
}

export const BEHAVIOUR_FIELDS = rows.filter(([, { isBehaviour }]) => isBehaviour).map(([name]) => name)

/** The paths of URLs; `*` stands for each item of a list. */
export const URL_FIELDS = new Set(rows.flatMap(([, { urls = [] }]) => urls))

type Schemas<Of extends Fields> = { [Name in keyof Of]: Of[Name]['schema'] }

/** The schemas of the fields, without null. */
const schemasOf = <Of extends Fields>(fields: Of) =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as Schemas<Of>

export const SETTABLE_SCHEMAS = schemasOf(SETTABLE_FIELDS)
export const ORIGIN_SCHEMAS = schemasOf(ORIGIN_FIELDS)

type Optional<Of extends Fields> = {
  [Name in keyof Of]: TOptional<
    Of[Name] extends NeverNull ? Of[Name]['schema'] : TUnsafe<Static<Of[Name]['schema']> | null>
  >
}

/** The schemas of the fields, all optional, and nullable where the field may be null. */
export function optionalSchemas<Of extends Fields>(fields: Of, { showDefaults = false } = {}) {
  const toSchema = (field: Field) => {
    if (!isNeverNull(field)) return nullable(field.schema)
    // The default of a JSON column is in its description.
    return showDefaults && field.type !== 'json' && 'default' in field
      ? { ...field.schema, default: field.default }
      : field.schema
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(toSchema(field))]),
  ) as Optional<Of>
}
