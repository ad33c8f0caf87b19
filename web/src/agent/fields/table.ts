import { ACCESS, PROTECTION, PROTOCOL, STATUS } from '../../shared/words.ts'

/**
 * How a value is written in the form.
 * text: one line; lines: several; list: texts with commas between them; urls: one a line; decimal: digits kept as
 * text; time: Unix seconds; json: an object; rest: the members of an open object that have no field of their own.
 */
export type Kind =
  | 'text'
  | 'lines'
  | 'prompt'
  | 'code'
  | 'list'
  | 'urls'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'time'
  | 'select'
  | 'switch'
  | 'json'
  | 'rest'

export const GROUPS = {
  identity: ['Identity', 'What people see'],
  model: ['Model', 'Where it answers from'],
  prompt: ['System prompt', ''],
  parameters: ['Parameters', 'Empty means the model’s own default'],
  access: ['Access and MCP', 'What tests may see, and what the agent may reach'],
  white_box: ['White box', 'Source code, for the access level white box'],
  delegation: ['Delegation', 'Agents that it passes work to'],
  guard: ['Guard', 'Protection in front of it'],
  metadata: ['Metadata', 'For people and services; does not change behaviour'],
} as const

export type GroupId = keyof typeof GROUPS

export interface FieldSpec {
  /** Member of the agent, or member of a nested object after a slash; `*` for the rest of it. */
  path: string
  label: string
  /** In the form, where the heading of the group says the rest. */
  formLabel?: string
  kind: Kind
  group: GroupId
  /** Quarters of the width of the form. */
  width: 1 | 2 | 4
  /** The API ignores null here, so an empty field is a fault. */
  required?: true
  options?: Record<string, string>
  hint?: string
  unit?: string
  placeholder?: string
  mono?: true
}

const MCP_ACCESS = { read: 'Read', write: 'Write', admin: 'Administer' }
const OTHER = 'A JSON object. Members that have no field of their own are kept here.'

/** All fields of an update but the two secrets, in the order of the form. Delegated agents have rows of their own. */
export const FIELDS: readonly FieldSpec[] = [
  { path: 'agent_name', label: 'Name', kind: 'text', group: 'identity', width: 4, required: true },
  { path: 'purpose', label: 'Purpose', kind: 'lines', group: 'identity', width: 4 },
  { path: 'agent_metadata/role', label: 'Role', kind: 'text', group: 'identity', width: 2 },
  {
    path: 'agent_metadata/tags',
    label: 'Tags',
    kind: 'list',
    group: 'identity',
    width: 2,
    placeholder: 'billing, eu',
  },
  {
    path: 'status',
    label: 'Status',
    kind: 'select',
    group: 'identity',
    width: 2,
    required: true,
    options: STATUS,
  },

  { path: 'model_name', label: 'Model', kind: 'text', group: 'model', width: 2, required: true },
  {
    path: 'protocol',
    label: 'Protocol',
    kind: 'select',
    group: 'model',
    width: 2,
    required: true,
    options: PROTOCOL,
  },
  { path: 'agent_url', label: 'Endpoint', kind: 'text', group: 'model', width: 4, mono: true },
  { path: 'hub', label: 'Hub', kind: 'text', group: 'model', width: 2, required: true },
  {
    path: 'rate_limit_requests_per_minute',
    label: 'Rate limit',
    kind: 'integer',
    group: 'model',
    width: 2,

    required: true,
    unit: 'a minute',
    hint: 'Counted per agent, not per caller',
  },

  {
    path: 'agent_system_prompt',
    label: 'System prompt',
    formLabel: 'Instruction',
    kind: 'prompt',
    group: 'prompt',
    width: 4,
  },

  { path: 'agent_params/temperature', label: 'Temperature', kind: 'number', group: 'parameters', width: 1 },
  { path: 'agent_params/top_p', label: 'Top p', kind: 'number', group: 'parameters', width: 1 },
  { path: 'agent_params/max_tokens', label: 'Max tokens', kind: 'integer', group: 'parameters', width: 1 },
  { path: 'agent_params/timeout', label: 'Timeout', kind: 'integer', group: 'parameters', width: 1 },
  { path: 'agent_params/rag_params', label: 'Retrieval', kind: 'json', group: 'parameters', width: 2 },
  {
    path: 'agent_params/function_route_params',
    label: 'Function routing',
    kind: 'json',
    group: 'parameters',
    width: 2,
  },
  {
    path: 'agent_params/*',
    label: 'Other parameters',
    kind: 'rest',
    group: 'parameters',
    width: 4,
    hint: OTHER,
  },

  {
    path: 'access_level',
    label: 'Access level',
    kind: 'select',
    group: 'access',
    width: 2,
    required: true,
    options: ACCESS,
  },
  {
    path: 'mcp_config/access_level',
    label: 'MCP access',
    kind: 'select',
    group: 'access',
    width: 2,
    options: MCP_ACCESS,
  },
  { path: 'mcp_config/proxy_url', label: 'MCP proxy', kind: 'text', group: 'access', width: 4, mono: true },
  {
    path: 'mcp_config/server_urls',
    label: 'MCP servers',
    kind: 'urls',
    group: 'access',
    width: 4,
    hint: 'One address a line',
    mono: true,
  },
  { path: 'mcp_config/*', label: 'Other MCP settings', kind: 'rest', group: 'access', width: 4, hint: OTHER },

  {
    path: 'white_box_config/repo_url',
    label: 'Repository',
    kind: 'text',
    group: 'white_box',
    width: 4,
    mono: true,
  },
  {
    path: 'white_box_config/repo_branch',
    label: 'Branch',
    kind: 'text',
    group: 'white_box',
    width: 2,
    mono: true,
  },
  {
    path: 'white_box_config/entry_point',
    label: 'Entry point',
    kind: 'text',
    group: 'white_box',
    width: 2,
    mono: true,
  },
  {
    path: 'white_box_config/github_username',
    label: 'GitHub user',
    kind: 'text',
    group: 'white_box',
    width: 2,
  },
  { path: 'white_box_config/source_code', label: 'Source code', kind: 'code', group: 'white_box', width: 4 },
  {
    path: 'white_box_config/*',
    label: 'Other source settings',
    kind: 'rest',
    group: 'white_box',
    width: 4,
    hint: OTHER,
  },

  {
    path: 'protection_status',
    label: 'Protection',
    kind: 'select',
    group: 'guard',
    width: 2,
    required: true,
    options: PROTECTION,
  },
  {
    path: 'guard_config_id',
    label: 'Guard configuration',
    kind: 'text',
    group: 'guard',
    width: 2,
    mono: true,
  },
  {
    path: 'guard_manually_configured',
    label: 'Guard set by hand',
    kind: 'switch',
    group: 'guard',
    width: 4,
    hint: 'Off: the protection service configures the guard',
  },

  { path: 'agent_metadata/description', label: 'Description', kind: 'lines', group: 'metadata', width: 4 },
  {
    path: 'agent_metadata/job_description',
    label: 'Job description',
    kind: 'lines',
    group: 'metadata',
    width: 4,
  },
  { path: 'agent_metadata/version', label: 'Version', kind: 'text', group: 'metadata', width: 2 },
  { path: 'agent_metadata/author', label: 'Author', kind: 'text', group: 'metadata', width: 2 },
  { path: 'test_score', label: 'Test score', kind: 'decimal', group: 'metadata', width: 2 },
  { path: 'last_tested_by', label: 'Last tested by', kind: 'text', group: 'metadata', width: 2 },
  { path: 'evaluated_harnesses', label: 'Evaluated harnesses', kind: 'list', group: 'metadata', width: 2 },
  {
    path: 'last_evaluated_at',
    label: 'Last evaluated',
    kind: 'time',
    group: 'metadata',
    width: 2,
    hint: 'Unix time in seconds',
  },
  {
    path: 'agent_metadata/*',
    label: 'Other metadata',
    kind: 'rest',
    group: 'metadata',
    width: 4,
    hint: OTHER,
  },
]

/** Label of the rows that are not in the table. */
export const DELEGATES = { name: 'delegated_agents', label: 'Delegated agents' } as const

/** They are set on a page of their own: this form neither shows nor sends them. */
export const SECRETS: readonly string[] = ['api_key', 'white_box_config/github_token']

/** `member` is undefined for a field that is not in a nested object. */
export function splitPath(path: string): { top: string; member: string | undefined } {
  const [top = '', member] = path.split('/')
  return { top, member }
}

export function specOf(path: string): FieldSpec | undefined {
  return FIELDS.find((spec) => spec.path === path)
}

/** The id of a control, for links of the summary of faults. */
export function controlId(name: string): string {
  return `f-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`
}
