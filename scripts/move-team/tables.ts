import { type Client, escapeIdentifier } from 'pg'

export interface TeamTable {
  name: string
  /** In the order of their names. */
  columns: string[]
  /** The columns of the primary key; undefined without one. */
  key: string[] | undefined
}

interface CatalogueTable extends Omit<TeamTable, 'key'> {
  key: string[] | null
}

/** Tables that do not move, and why. Every other table must have a team_id. */
const LEFT_BEHIND: Record<string, string> = {
  outbox: 'the relay of the source delivers its events; the move waits until none is left',
  event_delivery: 'the position of the relay in the stream of this database',
  audit_checkpoints: 'parts of the seals of this database',
  audit_seals: 'one chain over the audit events of all teams of this database',
  audit_sealing: 'the position of the work on the next seal',
  agent_filters_progress: 'the position of an upgrade of this database',
  delegation_backfill: 'the position of an upgrade of this database',
  schema_migrations: 'the schema of this database',
}

export const AUDIT = 'audit_events'

/** A month of the audit log that was detached from it. */
const DETACHED_MONTH = /^(expired_)?audit_events_/

/** The tables whose rows of a team move: all of the schema that have a team_id. Throws if it does not know what to do with a
 * table, so that a new table cannot be forgotten. */
export async function readTeamTables(client: Client): Promise<TeamTable[]> {
  const { rows } = await client.query<CatalogueTable>(TABLES)
  const others = rows.filter(({ name }) => !Object.hasOwn(LEFT_BEHIND, name) && !DETACHED_MONTH.test(name))
  // A table with one row can have a team_id that is a position.
  const unknown = others.filter(
    ({ columns }) => !columns.includes('team_id') || columns.includes('is_only_row'),
  )
  if (unknown.length > 0)
    throw new Error(
      `It is not known whether these tables move with a team: ${unknown.map(({ name }) => name).join(', ')}. ` +
        'Give them a team_id, or add them to LEFT_BEHIND in scripts/move-team/tables.ts.',
    )
  return others.map(({ key, ...table }) => ({ ...table, key: key ?? undefined }))
}

const TABLES = `
SELECT relname AS name,
  ARRAY(
    SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY 1
  ) AS columns,
  (
    SELECT array_agg(attname::text ORDER BY array_position(conkey, attnum))
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
    WHERE conrelid = c.oid AND contype = 'p'
  ) AS key
FROM pg_class c
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
ORDER BY relname`

/** The rows of a team, as the text of all columns. */
export function rowText(columns: readonly string[]): string {
  return `ROW(${columns.map(escapeIdentifier).join(', ')})::text`
}
