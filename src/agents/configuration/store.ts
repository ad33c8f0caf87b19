import type { Statements } from '../../platform/database/database.ts'
import { named } from '../../platform/database/sql.ts'
import type { AgentText } from '../change-agent.ts'
import { type Claim, type Columns, createStatement, type RevisionRecord } from '../change-statement.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'

/** Reads and inserts agents. `../change-agent.ts` changes them. */

export async function findAgent(
  sql: Statements,
  teamId: string,
  id: string,
  includeScores: boolean,
): Promise<AgentText | undefined> {
  const [row] = await sql.read<AgentText>(named(includeScores ? 'find-agent-with-scores' : 'find-agent')`
SELECT a.revision, ${AGENT_TEXT} FROM agents a, ${includeScores ? AGENT_WITH_SCORES : AGENT}
WHERE a.team_id = ${teamId} AND a.id = ${id}`)
  return row
}

const AGENT = agentSql('a')
const AGENT_WITH_SCORES = agentSql('a', { includeScores: true })

/** Undefined if the claim failed. */
export async function insertAgent(
  sql: Statements,
  record: RevisionRecord,
  columns: Columns,
  claim: Claim | undefined,
): Promise<AgentText | undefined> {
  const [row] = await sql.write<AgentText>(createStatement(record, columns, claim))
  return row
}
