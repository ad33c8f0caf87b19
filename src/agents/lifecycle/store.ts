import { type AuditOrigin, originParameters } from '../../platform/database/audit-sql.ts'
import type { Statements } from '../../platform/database/database.ts'
import { currentTraceparent } from '../../platform/tracing/spans.ts'
import { isUnchangedBy, markSql } from '../bulk-mark.ts'
import type { AgentText } from '../change-agent.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'
import { moveSql } from './move-statement.ts'

export interface Move {
  teamId: string
  id: string
  /** Unix time in seconds. */
  now: number
  origin: AuditOrigin
  reason: string | null
}

export interface Deletion extends Move {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  eraseAt: number
  /** The agent cannot be recovered. */
  isErasing: boolean
  /** The bulk request that the deletion is part of. An agent that it has deleted already counts as absent. */
  bulkId: string | undefined
}

const moveParameters = ({ teamId, id, now, origin, reason }: Move) => [
  ...[teamId, id, now],
  ...originParameters(origin),
  reason,
  currentTraceparent(),
]

/** Hides an agent. Returns the new revision. Undefined if the team has no such agent. */
export async function deleteAgent(
  sql: Statements,
  deletion: Deletion,
): Promise<number | 'stale' | undefined> {
  const { expectedRevisions, eraseAt, isErasing, bulkId } = deletion
  const [result] = await sql.write<{ is_moved: boolean; revision: number }>({
    ...(bulkId === undefined ? DELETE : DELETE_IN_BULK),
    values: [
      ...[...moveParameters(deletion), expectedRevisions, eraseAt, isErasing],
      ...(bulkId === undefined ? [] : [bulkId]),
    ],
  })
  if (!result) return undefined
  return result.is_moved ? result.revision : 'stale'
}

const deleteSql = (inBulk: { filter?: string; ctes?: string[] } = {}) => `${moveSql({
  action: 'deleted',
  from: 'agents',
  to: 'deleted_agents',
  condition: '$11::bigint[] IS NULL OR revision = ANY ($11::bigint[])',
  added: { deleted_at: 'updated_at', deleted_by: '$4', erase_at: '$12', is_erasing: '$13' },
  auditDetail: `'erase_at', erase_at`,
  ...inBulk,
})}
SELECT is_moved, revision FROM locked`

const DELETE = { name: 'delete-agent', text: deleteSql() }
const DELETE_IN_BULK = {
  name: 'delete-agent-in-bulk',
  text: deleteSql({ filter: isUnchangedBy('$14'), ctes: [markSql(14, `'{}'`)] }),
}

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
