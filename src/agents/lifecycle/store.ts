import type { AuditIds } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'
import type { AgentText } from '../change-agent.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'
import { moveSql } from './move-statement.ts'

export interface Move extends AuditIds {
  teamId: string
  id: string
  /** Unix time in seconds. */
  now: number
  userId: string
}

export interface Deletion extends Move {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  eraseAt: number
  /** The agent cannot be recovered. */
  isErasing: boolean
}

const moveParameters = ({ teamId, id, now, userId, eventId, requestId }: Move) => [
  ...[teamId, id, now, userId],
  ...[eventId, requestId],
]

/** Hides an agent. Undefined if the team has no such agent. */
export async function deleteAgent(
  sql: Statements,
  deletion: Deletion,
): Promise<'deleted' | 'stale' | undefined> {
  const { expectedRevisions, eraseAt, isErasing } = deletion
  const [result] = await sql.write<{ is_moved: boolean }>({
    name: 'delete-agent',
    text: DELETE,
    values: [...moveParameters(deletion), expectedRevisions, eraseAt, isErasing],
  })
  if (!result) return undefined
  return result.is_moved ? 'deleted' : 'stale'
}

const DELETE = `${moveSql({
  action: 'deleted',
  from: 'agents',
  to: 'deleted_agents',
  condition: '$7::bigint[] IS NULL OR revision = ANY ($7::bigint[])',
  added: { deleted_at: 'updated_at', deleted_by: '$4', erase_at: '$8', is_erasing: '$9' },
  auditDetail: `'erase_at', erase_at`,
})}
SELECT is_moved FROM locked`

/** Undefined if the team has no such deleted agent, or its time is over. */
export async function recoverAgent(sql: Statements, move: Move): Promise<AgentText | undefined> {
  const [row] = await sql.write<AgentText>({
    name: 'recover-agent',
    text: RECOVER,
    values: moveParameters(move),
  })
  return row
}

const RECOVER = `${moveSql({
  action: 'recovered',
  from: 'deleted_agents',
  to: 'agents',
  filter: 'NOT is_erasing AND erase_at > $3::bigint',
})}
SELECT written.revision, ${AGENT_TEXT} FROM written, ${agentSql('written')}`
