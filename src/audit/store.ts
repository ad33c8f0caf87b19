import type { AuditEvent } from '../contract/audit.ts'
import { INSERT_AUDIT_EVENT } from '../platform/audit-sql.ts'
import type { Sql } from '../platform/database.ts'

/** The events of a team, or of one of its agents, that are older than `before`; newest first. */
export function listEvents(
  sql: Sql,
  teamId: string,
  { agentId, before, limit }: { agentId: string | undefined; before: string | undefined; limit: number },
): Promise<AuditEvent[]> {
  // Two statements, because each uses its own index.
  return agentId === undefined
    ? sql.read({ name: 'list-audit', text: LIST, values: [teamId, before ?? MAX_ID, limit] })
    : sql.read({
        name: 'list-audit-of-agent',
        text: LIST_OF_AGENT,
        values: [teamId, before ?? MAX_ID, limit, agentId],
      })
}

/** Above every id: a UUID version 7 does not begin with these digits before the year 10889. */
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const select = (filter: string) => `
SELECT id, at, user_id, action, agent_id, request_id, detail
FROM audit_events
WHERE team_id = $1 AND id < $2 ${filter}
ORDER BY id DESC
LIMIT $3`

const LIST = select('')
const LIST_OF_AGENT = select('AND agent_id = $4')

export async function insertEvent(sql: Sql, teamId: string, event: AuditEvent): Promise<void> {
  const { id, at, user_id, action, agent_id, request_id, detail } = event
  await sql.write({
    name: 'insert-audit-event',
    text: `${INSERT_AUDIT_EVENT} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [teamId, id, at, user_id, action, agent_id, request_id, JSON.stringify(detail)],
  })
}
