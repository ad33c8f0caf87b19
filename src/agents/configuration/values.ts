import { AGENT_DEFAULTS, type AgentCreate, type AgentUpdate } from '../../contract/agent.ts'
import { type ColumnValues, type ORIGIN_COLUMNS, SETTABLE_COLUMNS } from '../columns.ts'
import { changeableValues, settableValues } from '../compare.ts'
import { type SecretChanges, withTokenMasked } from '../secrets/secret-change.ts'

/** The fields of an update, and those that describe where the agent came from. */
export type AgentValues = AgentUpdate & Pick<AgentCreate, (typeof ORIGIN_COLUMNS)[number]['name']>

/** The values of a body as they are stored. */
export function toValues(body: AgentValues, changes: SecretChanges, mayChangeOrigin = false): ColumnValues {
  const values = mayChangeOrigin ? changeableValues(body) : settableValues(body)
  if (values.white_box_config) {
    values.white_box_config = withTokenMasked(body.white_box_config, changes.github_token)
  }
  if (values.import_metadata) values.import_metadata = withSource(body.import_metadata)
  return values
}

/** An agent always says where it came from. */
const withSource = (given: AgentValues['import_metadata']) => ({
  ...given,
  source: given?.source ?? 'manual',
})

export function withDefaults(values: ColumnValues): ColumnValues {
  const defaults: ColumnValues = AGENT_DEFAULTS
  return {
    import_metadata: values.import_metadata ?? withSource(null),
    capabilities: values.capabilities ?? {},
    skills: values.skills ?? [],
    ...Object.fromEntries(SETTABLE_COLUMNS.map(({ name }) => [name, values[name] ?? defaults[name] ?? null])),
  }
}
