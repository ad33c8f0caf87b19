/** SQL for the state of the latest evaluation of an agent. */
export function evaluationState(table: string): string {
  return `CASE
  WHEN ${table}.latest_evaluation IS NULL THEN 'none'
  WHEN (${table}.latest_evaluation ->> 'revision')::bigint >= ${table}.behaviour_revision THEN 'current'
  ELSE 'outdated'
END`
}
