import type { Statements } from '../../platform/database/database.ts'
import type { AgentText } from '../change-agent.ts'
import type { Columns, RevisionRecord } from '../change-statement.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'

/** The id of an agent that a dry run would create. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** The agent that a creation would make. */
export async function planAgent(
  sql: Statements,
  { caller, revision, changedAt }: RevisionRecord,
  columns: Columns,
): Promise<AgentText | undefined> {
  // The text of an agent has no bytes.
  const shown = Object.entries(columns).filter(([, value]) => !Buffer.isBuffer(value))
  const row = {
    ...{ team_id: caller.teamId, id: NO_ID, revision, created_by: caller.userId },
    ...{ created_at: changedAt, updated_at: changedAt, ...Object.fromEntries(shown) },
  }
  const [planned] = await sql.read<AgentText>({
    name: 'plan-agent',
    text: `SELECT a.revision, ${AGENT_TEXT} FROM json_populate_record(NULL::agents, $1) a, ${agentSql('a')}`,
    values: [JSON.stringify(row)],
  })
  return planned
}

/** For a set that takes or releases fields of an agent without changing it: a writer that has read the owners before tries again.
 * Locks the agent. */
export async function increaseSetVersion(sql: Statements, teamId: string, id: string): Promise<void> {
  await sql.write({
    name: 'increase-set-version',
    text: 'UPDATE agents SET set_version = set_version + 1 WHERE team_id = $1 AND id = $2',
    values: [teamId, id],
  })
}
