import { Problem } from '../../contract/problem.ts'
import type { Statements } from '../../platform/database/database.ts'

export type RequireFilterTable = (teamId: string) => Promise<void>

/** Throws until `agent_filters` has all agents of the team. After an upgrade from a version without the table, maintenance fills
 * it team by team. */
export function createFilterTableCheck(sql: Statements): RequireFilterTable {
  let isDone = false
  return async (teamId) => {
    if (isDone) return
    const [row] = await sql.read<{ is_done: boolean; has_team: boolean }>({
      name: 'agent-filters-progress',
      text: 'SELECT is_done, team_id > $1 AS has_team FROM agent_filters_progress',
      values: [teamId],
    })
    isDone = row?.is_done === true
    if (!isDone && row?.has_team !== true) {
      throw new Problem('filters_not_ready', { headers: { 'retry-after': '30' } })
    }
  }
}

/** So few that a deletion, which waits for it, does not notice. */
const AGENTS_PER_STEP = 500

/** Fills a part of the table. Returns whether there is more to do. */
export async function fillStep(sql: Statements): Promise<boolean> {
  const [row] = await sql.write<{ has_more: boolean }>({
    name: undefined,
    text: 'SELECT fill_agent_filters($1) AS has_more',
    values: [AGENTS_PER_STEP],
  })
  return row?.has_more === true
}
