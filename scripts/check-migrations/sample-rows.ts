import type { Client } from 'pg'

/** A value of each type that the schema uses. An id of this time belongs to the first partition of the audit log. */
const VALUES: Record<string, string> = {
  uuid: "'01900000-0000-7000-8000-000000000000'",
  text: "'text'",
  bigint: '1',
  integer: '1',
  numeric: '1',
  'double precision': '1',
  boolean: 'true',
  json: "'{}'",
  jsonb: "'{}'",
  bytea: "'\\x00'",
  'text[]': "'{text}'",
  'uuid[]': "'{01900000-0000-7000-8000-000000000000}'",
  'timestamp with time zone': 'now()',
  date: 'now()',
}

/** Inserts a row into each empty table, so that a migration meets rows. */
export async function fillTables(client: Client): Promise<void> {
  const { rows: tables } = await client.query<{ table: string; columns: string[]; types: string[] }>(TABLES)
  for (const { table, columns, types } of tables) {
    const { rowCount } = await client.query(`SELECT FROM "${table}" LIMIT 1`)
    if (rowCount !== 0) continue
    const names = columns.map((column) => `"${column}"`).join(', ')
    const values = types.map((type) => VALUES[type] ?? 'NULL').join(', ')
    await client.query(`INSERT INTO "${table}" (${names}) VALUES (${values})`).catch((error: Error) => {
      throw new Error(`Add a sample value for the table ${table}: ${error.message}`, { cause: error })
    })
  }
}

const TABLES = `
SELECT relname AS table, array_agg(attname::text ORDER BY attnum) AS columns,
  array_agg(format_type(atttypid, atttypmod) ORDER BY attnum) AS types
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  AND relname <> 'schema_migrations' AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
GROUP BY relname`
