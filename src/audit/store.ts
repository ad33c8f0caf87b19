import type { AuditEvent } from '../contract/audit.ts'
import { INSERT_AUDIT_EVENT } from '../platform/audit-sql.ts'
import type { Sql } from '../platform/database.ts'
import type { TeamEvent } from './refusals.ts'

/** The events of a team, or of one of its agents, that are older than `before`; newest first. */
export function listEvents(
  sql: Sql,
  teamId: string,
  { agentId, before, limit }: { agentId: string | undefined; before: string | undefined; limit: number },
): Promise<AuditEvent[]> {
  return sql.read({
    name: 'list-audit',
    text: `
SELECT id, at, user_id, action, agent_id, request_id, detail
FROM list_audit_events($1, $2, $3, $4)`,
    values: [teamId, agentId, before ?? MAX_ID, limit],
  })
}

/** Above every id: a UUID version 7 does not begin with these digits before the year 10889. */
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The events of any number of teams. One that is stored already stays as it is: after a lost connection a batch is sent again. */
export async function insertEvents(sql: Sql, events: TeamEvent[]): Promise<void> {
  await sql.write({
    name: 'insert-audit-events',
    text: INSERT,
    values: [
      events.map(({ team_id }) => team_id),
      events.map(({ id }) => id),
      events.map(({ at }) => at),
      events.map(({ user_id }) => user_id),
      events.map(({ action }) => action),
      events.map(({ agent_id }) => agent_id),
      events.map(({ request_id }) => request_id),
      events.map(({ detail }) => JSON.stringify(detail)),
    ],
  })
}

const INSERT = `
${INSERT_AUDIT_EVENT}
SELECT team_id, id, at, user_id, action, agent_id, request_id, detail::json
FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::text[])
  AS event (team_id, id, at, user_id, action, agent_id, request_id, detail)
ON CONFLICT DO NOTHING`
