/** The columns in their order, named as the fields of the API, so that saved views can hold them. */
export const COLUMN_IDS = [
  'agent_name',
  'model_name',
  'status',
  'trust_stage',
  'protection_status',
  'latest_evaluation.overall_score',
  'updated_at',
  'created_at',
  'created_by',
  'access_level',
  'protocol',
  'hub',
  'agent_metadata.tags',
] as const

export type ColumnId = (typeof COLUMN_IDS)[number]

const DEFAULT_COLUMNS: readonly ColumnId[] = COLUMN_IDS.slice(0, 7)

/** The name is always shown: it is the way to the agent. */
export function columnsOf(value: string | string[] | undefined): readonly ColumnId[] {
  if (!Array.isArray(value)) return DEFAULT_COLUMNS
  return COLUMN_IDS.filter((id) => id === 'agent_name' || value.includes(id))
}

/** undefined: as by default, so that the address stays short. */
export function columnsParameter(columns: readonly ColumnId[]): string[] | undefined {
  const isDefault =
    columns.length === DEFAULT_COLUMNS.length && DEFAULT_COLUMNS.every((id) => columns.includes(id))
  return isDefault ? undefined : COLUMN_IDS.filter((id) => columns.includes(id))
}
