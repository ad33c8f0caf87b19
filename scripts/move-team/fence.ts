import { type Client, escapeIdentifier } from 'pg'
import { MAINTENANCE_NAME } from '../../src/maintenance/leader.ts'
import { withBriefLock } from './locks.ts'
import { moveName } from './move-name.ts'
import { type TeamTable } from './tables.ts'

/** The changes that a database refuses for a team that moves. The background writers of the console store audit events and
 * names of all teams together: a refused row would stop those of other teams. */
const REFUSED: Record<string, string | undefined> = { audit_events: undefined, users: 'DELETE' }
const ALL_CHANGES = 'INSERT OR UPDATE OR DELETE'

/** Clients get a 503 with Retry-After for the code, as for a locked row. Maintenance only erases what has expired, of all teams
 * together. */
const REFUSE = `
CREATE OR REPLACE FUNCTION refuse_moving_team() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.team_id, OLD.team_id) = TG_ARGV[0]::uuid
    AND current_setting('application_name') <> '${MAINTENANCE_NAME}' THEN
    RAISE EXCEPTION 'team % moves to another database', TG_ARGV[0] USING ERRCODE = 'lock_not_available';
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END
$$`

/** Refuses changes of a team. When it returns, no transaction that has changed a row of it is open: creating a trigger waits
 * for them. */
export async function stopWrites(client: Client, team: string, tables: TeamTable[]): Promise<void> {
  await client.query(REFUSE)
  for (const { name } of tables) {
    const changes = Object.hasOwn(REFUSED, name) ? REFUSED[name] : ALL_CHANGES
    if (changes === undefined) continue
    await withBriefLock(
      client,
      `CREATE OR REPLACE TRIGGER ${moveName(team)} BEFORE ${changes} ON ${escapeIdentifier(name)}
       FOR EACH ROW EXECUTE FUNCTION refuse_moving_team('${team}')`,
    )
  }
}

export async function allowWrites(client: Client, team: string): Promise<void> {
  for (const table of await fencedTables(client, team))
    await withBriefLock(client, `DROP TRIGGER ${moveName(team)} ON ${table}`)
}

async function fencedTables(client: Client, team: string): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    'SELECT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname = $1',
    [moveName(team)],
  )
  return rows.map(({ table }) => table)
}
