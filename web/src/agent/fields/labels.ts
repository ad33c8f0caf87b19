import { FIELDS } from './table.ts'

/**
 * Fields whose change outdates an evaluation, as the description of `current` in the OpenAPI document
 * lists them.
 */
const BEHAVIOUR: ReadonlySet<string> = new Set([
  'model_name',
  'agent_url',
  'agent_system_prompt',
  'agent_params',
  'mcp_config',
  'delegated_agents',
  'white_box_config',
  'protocol',
  'hub',
])

export const API_KEY = 'api_key'
export const GITHUB_TOKEN = 'white_box_config.github_token'

/** The labels of the form, and those of fields and objects that it does not show. */
const LABELS: Record<string, string> = {
  ...Object.fromEntries(FIELDS.map(({ path, label }) => [path.replace('/', '.'), label])),
  [API_KEY]: 'API key',
  agent_params: 'Parameters',
  mcp_config: 'MCP',
  white_box_config: 'White box',
  [GITHUB_TOKEN]: 'GitHub token',
  agent_metadata: 'Metadata',
  trust_stage: 'Trust stage',
  trusted_at: 'Trusted since',
  ttt_days: 'Days to trust',
  import_metadata: 'Origin',
}

/** The field of the API that a path such as `agent_params.temperature` or `agent_params/temperature` belongs to. */
export function fieldOf(path: string): string {
  return path.split(/[./]/, 1)[0] ?? path
}

/** Whether a change of the field outdates the last evaluation. */
export function bearsOnBehaviour(path: string): boolean {
  return BEHAVIOUR.has(fieldOf(path))
}

/** Secrets are never compared: only their masks are known. */
export function isSecret(path: string): boolean {
  return path === API_KEY || path === GITHUB_TOKEN || path.startsWith('secrets.')
}

/** "System prompt" for `agent_system_prompt`; an unknown name in words: "Repo url". */
export function fieldLabel(path: string): string {
  const known = LABELS[path]
  if (known !== undefined) return known
  if (path.startsWith('secrets.')) return `Secret ${path.slice('secrets.'.length)}`
  const name = path.split('.').at(-1) ?? path
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}
