// A change that a bulk request makes leaves a row in `bulk_changes`, written by the statement of the change.

import { type Fragment, fragment, type Param, type Part } from '../platform/database/sql.ts'

/** The CTE that writes the row. `written` is the row of the agent after the change. */
export function markSql(team: Param, agent: Param, bulkId: string, fields: Part): Fragment {
  return fragment`marked AS (
  INSERT INTO bulk_changes (team_id, bulk_id, agent_id, revision, fields)
  SELECT ${team}, ${bulkId}, ${agent}, revision, ${fields} FROM written
)`
}

/** The condition that the bulk request has not changed the agent yet. A change always makes a new revision, so a
 * statement that also requires the revision that was read cannot miss a change of another process. */
export function isUnchangedBy(bulkId: string, team: Param, agent: Param): Fragment {
  return fragment`NOT EXISTS (
  SELECT FROM bulk_changes
  WHERE bulk_changes.team_id = ${team} AND bulk_id = ${bulkId} AND bulk_changes.agent_id = ${agent}
)`
}
