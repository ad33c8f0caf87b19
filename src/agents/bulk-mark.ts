// A change that a bulk request makes leaves a row in `bulk_changes`, written by the statement of the change. $1 team, $2 agent;
// `written` is the row of the agent after the change.

/** The CTE that writes the row. `next` is the number of its parameter, the id of the bulk request. */
export function markSql(next: number, fields = '$7'): string {
  return `marked AS (
  INSERT INTO bulk_changes (team_id, bulk_id, agent_id, revision, fields)
  SELECT $1, $${next}, $2, revision, ${fields} FROM written
)`
}

/** The condition that the bulk request has not changed the agent yet. A change always makes a new revision, so a statement that
 * also requires the revision that was read cannot miss a change of another process. */
export function isUnchangedBy(bulkId: string): string {
  return `NOT EXISTS (
  SELECT FROM bulk_changes WHERE bulk_changes.team_id = $1 AND bulk_id = ${bulkId} AND bulk_changes.agent_id = $2
)`
}
