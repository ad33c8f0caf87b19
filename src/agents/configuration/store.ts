import type { Statements } from '../../platform/database/database.ts'
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
  const [row] = await sql.read<AgentText>({
    name: includeScores ? 'find-agent-with-scores' : 'find-agent',
    text: includeScores ? FIND_WITH_SCORES : FIND,
    values: [teamId, id],
  })
  return row
}

const find = (agent: string) =>
  `SELECT a.revision, ${AGENT_TEXT} FROM agents a, ${agent} WHERE a.team_id = $1 AND a.id = $2`
const FIND = find(agentSql('a'))
const FIND_WITH_SCORES = find(agentSql('a', { includeScores: true }))

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
