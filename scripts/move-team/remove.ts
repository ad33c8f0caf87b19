import { type Client, escapeIdentifier } from 'pg'
import { withBriefLock } from './locks.ts'
import { AUDIT, type TeamTable } from './tables.ts'

const BATCH_SIZE = 1_000

/** Removes the rows of a team, in batches: a long transaction would keep dead tuples of all teams. Without triggers, which
 * would refuse it. */
export async function removeTeam(client: Client, team: string, tables: TeamTable[]): Promise<number> {
  let removed = 0
  await client.query('SET session_replication_role = replica')
  for (const { name } of tables.filter((table) => table.name !== AUDIT)) {
    for (let count = BATCH_SIZE; count === BATCH_SIZE; removed += count) {
      const { rowCount } = await client.query(
        `DELETE FROM ${escapeIdentifier(name)} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${escapeIdentifier(name)} WHERE team_id = $1 LIMIT ${BATCH_SIZE}
         ))`,
        [team],
      )
      count = rowCount ?? 0
    }
  }
  await client.query('RESET session_replication_role')
  return removed
}

/** Removes the copies of audit events from a target whose move was cancelled. The append-only trigger is off for one batch at a
 * time, under a lock that keeps all others from changing the table. */
export async function removeAuditCopies(client: Client, team: string): Promise<void> {
  const hasMore = async () => {
    const { rowCount } = await client.query(`SELECT FROM ${AUDIT} WHERE team_id = $1 LIMIT 1`, [team])
    return rowCount !== 0
  }
  while (await hasMore())
    await withBriefLock(
      client,
      `ALTER TABLE ONLY ${AUDIT} DISABLE TRIGGER audit_events_append_only;
       DELETE FROM ${AUDIT} WHERE team_id = '${team}' AND id IN (
         SELECT id FROM ${AUDIT} WHERE team_id = '${team}' ORDER BY id LIMIT ${BATCH_SIZE}
       );
       ALTER TABLE ONLY ${AUDIT} ENABLE ALWAYS TRIGGER audit_events_append_only`,
    )
}
