import { AGENT_DEFAULTS, type AgentUpdate } from '../../contract/agent.ts'
import { type ColumnValues, SETTABLE_COLUMNS } from '../columns.ts'
import { settableValues } from '../compare.ts'
import { type SecretChanges, withTokenMasked } from '../secrets/secret-change.ts'

/** The values of a body as they are stored. */
export function toValues(body: AgentUpdate, changes: SecretChanges): ColumnValues {
  const values = settableValues(body)
  if (values.white_box_config) {
    values.white_box_config = withTokenMasked(body.white_box_config, changes.github_token)
  }
  return values
}

export function withDefaults(values: ColumnValues): ColumnValues {
  const defaults: ColumnValues = AGENT_DEFAULTS
  return Object.fromEntries(
    SETTABLE_COLUMNS.map(({ name }) => [name, values[name] ?? defaults[name] ?? null]),
  )
}
