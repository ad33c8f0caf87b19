import { Agent } from '../contract/agent.ts'

/** The columns a client sets, with their SQL types. Where `keepsOnNull` is set, null keeps what is there:
 * the column is never null, and a null must not reset an archived agent to active. */
interface Column {
  name: string
  type: string
  keepsOnNull?: true
}

export const SETTABLE_COLUMNS = [
  { name: 'status', type: 'text', keepsOnNull: true },
  { name: 'agent_name', type: 'text', keepsOnNull: true },
  { name: 'agent_url', type: 'text' },
  { name: 'model_name', type: 'text', keepsOnNull: true },
  { name: 'agent_system_prompt', type: 'text' },
  { name: 'hub', type: 'text', keepsOnNull: true },
  { name: 'rate_limit_requests_per_minute', type: 'integer', keepsOnNull: true },
  { name: 'access_level', type: 'text', keepsOnNull: true },
  { name: 'agent_params', type: 'json' },
  { name: 'mcp_config', type: 'json' },
  { name: 'delegated_agents', type: 'json', keepsOnNull: true },
  { name: 'white_box_config', type: 'json' },
  { name: 'agent_metadata', type: 'json' },
  { name: 'purpose', type: 'text' },
  { name: 'protocol', type: 'text', keepsOnNull: true },
  { name: 'test_score', type: 'numeric' },
  { name: 'last_tested_by', type: 'text' },
  { name: 'evaluated_harnesses', type: 'json' },
  { name: 'last_evaluated_at', type: 'bigint' },
  { name: 'protection_status', type: 'text', keepsOnNull: true },
  { name: 'guard_config_id', type: 'uuid' },
  { name: 'guard_manually_configured', type: 'boolean', keepsOnNull: true },
] as const satisfies readonly Column[]

export type SettableColumn = (typeof SETTABLE_COLUMNS)[number]['name']

/** The columns that are set when the agent is created and by nobody's update. */
const OTHER_COLUMNS = [
  'id',
  'team_id',
  'revision',
  'created_by',
  'created_at',
  'updated_at',
  'trust_stage',
  'trusted_at',
  'ttt_days',
  'import_metadata',
  'capabilities',
  'skills',
  'api_key_mask',
  'latest_evaluation',
  'behaviour_revision',
]

/** What an agent does depends on these: a change of one outdates its evaluation. */
export const BEHAVIOUR_COLUMNS: readonly SettableColumn[] = [
  'model_name',
  'agent_url',
  'agent_system_prompt',
  'agent_params',
  'mcp_config',
  'delegated_agents',
  'white_box_config',
  'protocol',
  'hub',
]

/** Where a field of Agent is not a column of its own name and form. */
const FIELD_EXPRESSIONS: Record<string, string> = { api_key: 'api_key_mask', test_score: 'test_score::text' }

/** The Agent that the contract declares, written as JSON by PostgreSQL: in the order of the schema, nested objects as
 * they are stored. Parsing forty columns to write them again is half the cost of a read. */
export const AGENT_JSON = (() => {
  const { latest_evaluation: _, ...fields } = Agent.properties
  const members = Object.keys(fields).map((name) => `${FIELD_EXPRESSIONS[name] ?? name} AS ${name}`)
  return `(SELECT row_to_json(agent)::text FROM (SELECT ${members.join(', ')}) agent)`
})()

/** What a reader gets: every column but the sealed secrets. */
const READ_COLUMNS = [...OTHER_COLUMNS, ...SETTABLE_COLUMNS.map(({ name }) => name)]

/** The columns a reader gets, as a list for SQL. */
export function readList(prefix = ''): string {
  return READ_COLUMNS.map((column) => prefix + column).join(', ')
}
