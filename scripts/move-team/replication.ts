import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { withBriefLock, withMoveLock } from './locks.ts'
import { MOVE_PREFIX, moveName } from './move-name.ts'
import { pollUntil } from './poll.ts'
import { identify, setState } from './state.ts'
import { AUDIT, type TeamTable } from './tables.ts'

export interface Databases {
  source: Client
  target: Client
}

/** Begins to copy the rows of a team, and what changes in them. */
export async function startReplication(
  { source, target }: Databases,
  team: string,
  tables: TeamTable[],
  /** How the target reaches the source. */
  sourceUrl: string,
): Promise<void> {
  const name = moveName(team)
  await withMoveLock(source, async () => {
    // Before the publication: with it PostgreSQL refuses updates of a table that has no replica identity, of all teams.
    for (const { name: table, key } of tables)
      if (key === undefined)
        await withBriefLock(source, `ALTER TABLE ${escapeIdentifier(table)} REPLICA IDENTITY FULL`)
    await createPublication({ source, target }, team, tables)
  })
  await target.query(`CREATE SUBSCRIPTION ${name} CONNECTION ${escapeLiteral(sourceUrl)} PUBLICATION ${name}`)
}

async function createPublication(
  { source, target }: Databases,
  team: string,
  tables: TeamTable[],
): Promise<void> {
  const filtered = tables.map(
    ({ name: table }) => `TABLE ${escapeIdentifier(table)} WHERE (team_id = '${team}')`,
  )
  // Not TRUNCATE: it would empty the table of the target for all teams.
  await source.query(
    `CREATE PUBLICATION ${moveName(team)} FOR ${filtered.join(', ')}
     WITH (publish = 'insert, update, delete', publish_via_partition_root = true);
     ${setState(team, { target: await identify(target) })}`,
  )
}

/** From now on only new audit events are copied. What maintenance erases at the source, the target may still need: an agent can be
 * recovered there. */
export async function endCutOver(
  { source, target }: Databases,
  team: string,
  cutOverId: string,
): Promise<void> {
  const name = moveName(team)
  await source.query(
    `ALTER PUBLICATION ${name} SET TABLE ${AUDIT} WHERE (team_id = '${team}');
     ALTER PUBLICATION ${name} SET (publish = 'insert');
     ${setState(team, { target: await identify(target), cutOverId })}`,
  )
}

/** Ends the copying. Rows stay where they are. */
export async function dropSubscription(target: Client, team: string): Promise<void> {
  await target.query(`DROP SUBSCRIPTION IF EXISTS ${moveName(team)}`)
}

/** Ends the move. The publication has its state, and goes last: until then the step can be repeated. Its tables go first, each
 * behind a lock: PostgreSQL fails an update with `cache lookup failed for publication` if the publication goes in the meantime. */
export async function dropPublication(source: Client, team: string): Promise<void> {
  const name = moveName(team)
  const { rows: published } = await source.query<{ table: string }>(
    'SELECT prrelid::regclass::text AS table FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid WHERE pubname = $1',
    [name],
  )
  for (const { table } of published)
    await withBriefLock(
      source,
      `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE; ALTER PUBLICATION ${name} DROP TABLE ${table}`,
    )
  await withMoveLock(source, async () => {
    const { rows: otherMoves } = await source.query(
      'SELECT FROM pg_publication WHERE starts_with(pubname::text, $1) AND pubname <> $2',
      [MOVE_PREFIX, name],
    )
    if (otherMoves.length === 0) await resetReplicaIdentities(source)
    await source.query(`DROP PUBLICATION IF EXISTS ${name}`)
  })
}

async function resetReplicaIdentities(source: Client): Promise<void> {
  const { rows } = await source.query<{ table: string }>(
    `SELECT oid::regclass::text AS table FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relreplident = 'f'`,
  )
  for (const { table } of rows) await withBriefLock(source, `ALTER TABLE ${table} REPLICA IDENTITY DEFAULT`)
}

/** Waits until the rows that existed at the start are copied. */
export async function waitForCopy({ target }: Databases, team: string, withinMs: number): Promise<void> {
  await pollUntil('the copy of the existing rows', withinMs, async () => {
    const { rows } = await target.query<{ left: number; failures: number }>(COPY_STATE, [moveName(team)])
    const [state] = rows
    if (!state) throw new Error('The step copy was interrupted before it began: run the step cancel.')
    // A worker that fails starts again, and fails for ever: for example because the target has a row already.
    if (state.failures > 0)
      throw new Error(
        'The subscription has failed: the log of the target has the reason. Run the step cancel.',
      )
    return state.left === 0
  })
}

const COPY_STATE = `
SELECT (SELECT count(*) FROM pg_subscription_rel WHERE srsubid = oid AND srsubstate <> 'r')::int AS left,
  (apply_error_count + sync_error_count)::int AS failures
FROM pg_subscription JOIN pg_stat_subscription_stats ON subid = oid
WHERE pg_subscription.subname = $1`

/** Waits until the target has everything that the source has committed by now. */
export async function waitForChanges({ source }: Databases, team: string, withinMs: number): Promise<void> {
  const { rows } = await source.query<{ position: string }>('SELECT pg_current_wal_flush_lsn() AS position')
  await pollUntil('the copy of the last changes', withinMs, async () => {
    const { rows: slots } = await source.query<{ isThere: boolean }>(
      'SELECT confirmed_flush_lsn >= $2::pg_lsn AS "isThere" FROM pg_replication_slots WHERE slot_name = $1',
      [moveName(team), rows[0]?.position],
    )
    return slots[0]?.isThere === true
  })
}
