import type { AgentCreate, AgentUpdate } from '../../contract/agent.ts'
import { AGENT_NAME_LENGTH } from '../../contract/agent-fields.ts'
import { namedField } from '../../contract/agent-secrets.ts'
import type { NamedSecrets } from '../change-agent.ts'
import { SETTABLE_COLUMNS, type SettableColumn } from '../columns.ts'
import type { AgentState } from '../history/state.ts'

/** What an agent has earned: its copy is not reviewed, tested or protected. */
const NOT_COPIED: readonly SettableColumn[] = [
  'status',
  'protection_status',
  'guard_config_id',
  'guard_manually_configured',
  'test_score',
  'last_tested_by',
  'evaluated_harnesses',
  'last_evaluated_at',
]

const SUFFIX = ' (copy)'

/** The body that creates a copy of an agent. Its `import_metadata` says what it is a copy of, and which secrets it
 * lacks. */
export function copyOf(source: AgentState, overrides: AgentUpdate): AgentCreate {
  const { agent, revision } = source
  const { github_token: token, ...config } = agent.white_box_config ?? {}
  const copied = {
    ...agent,
    agent_name:
      Array.from(agent.agent_name)
        .slice(0, AGENT_NAME_LENGTH - SUFFIX.length)
        .join('') + SUFFIX,
    white_box_config: agent.white_box_config && config,
  }
  const leftOut = [
    ...(agent.api_key == null ? [] : ['api_key']),
    ...(token == null ? [] : ['white_box_config.github_token']),
    ...Object.keys(namedSecretsOf(source)).toSorted().map(namedField),
  ]
  const kept = SETTABLE_COLUMNS.filter(({ name }) => !NOT_COPIED.includes(name))
  const origin = {
    source: 'clone',
    source_agent_id: agent.id,
    source_revision: revision,
    left_out_secrets: leftOut,
  }
  return {
    ...(Object.fromEntries(kept.map(({ name }) => [name, copied[name]])) as unknown as AgentCreate),
    status: 'draft',
    capabilities: agent.capabilities ?? null,
    skills: agent.skills ?? null,
    import_metadata: origin,
    ...replacedValues(overrides),
  }
}

/** As in an update, `null` for a field that is never null keeps the value, and unknown fields are ignored. */
function replacedValues({ api_key, ...fields }: AgentUpdate): Partial<AgentCreate> {
  const replaced = SETTABLE_COLUMNS.filter((column) => {
    const value = fields[column.name]
    return value !== undefined && (value !== null || !('ignoresNull' in column))
  })
  return {
    ...Object.fromEntries(replaced.map(({ name }) => [name, fields[name]])),
    ...(api_key !== undefined && { api_key }),
  }
}

/** The named secrets that the agent has. */
export function namedSecretsOf({ secrets }: AgentState): NamedSecrets {
  return Object.fromEntries([...secrets].flatMap(([name, secret]) => (secret ? [[name, secret]] : [])))
}
