import type { Client } from 'pg'

/** When the audit events of an agent happened, in their order, in Unix seconds. */
export interface AuditTimes {
  agentId: string
  times: readonly number[]
}

/**
 * Dates audit events as the story has them; only in a demonstration may they be changed. Their ids hold the time, too.
 */
export async function moveAuditIntoThePast(
  database: Client,
  team: string,
  agents: readonly AuditTimes[],
): Promise<void> {
  await database.query('BEGIN; ALTER TABLE ONLY audit_events DISABLE TRIGGER audit_events_append_only')
  try {
    for (const { agentId, times } of agents) {
      await database.query(
        `UPDATE audit_events e SET at = told.at,
           id = (lpad(to_hex(told.at * 1000), 12, '0') || right(replace(e.id::text, '-', ''), 20))::uuid
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM audit_events WHERE team_id = $1 AND agent_id = $2) o
         JOIN unnest($3::bigint[]) WITH ORDINALITY AS told (at, number) USING (number)
         WHERE e.team_id = $1 AND e.id = o.id`,
        [team, agentId, times],
      )
    }
    await database.query(
      'ALTER TABLE ONLY audit_events ENABLE ALWAYS TRIGGER audit_events_append_only; COMMIT',
    )
  } catch (error) {
    await database.query('ROLLBACK')
    throw error
  }
}
