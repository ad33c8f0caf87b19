import type { Client } from 'pg'
import { MIGRATIONS } from '../../src/platform/postgres/state.ts'
import { ok, problem, type Result } from './finding.ts'

const FIX =
  'Run npm run migrate (in the image: migrate) as the owner of the tables, before this version starts.'

/** Whether the database has the migrations that this version of the code needs. */
export async function checkSchema(client: Client): Promise<Result[]> {
  const { rows: found } = await client.query<{ isThere: boolean; isReadable: boolean | null }>(`
    SELECT
      to_regclass('schema_migrations') IS NOT NULL AS "isThere",
      has_table_privilege(to_regclass('schema_migrations'), 'SELECT') AS "isReadable"`)
  if (!found[0]?.isThere) return [problem('The database has no tables of the console.', FIX)]
  if (!found[0].isReadable)
    return [
      problem(
        'The role may not read schema_migrations, so that readiness cannot check the schema.',
        'GRANT SELECT ON schema_migrations to it, as the owner.',
      ),
    ]
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
  const applied = rows.map(({ name }) => name)
  const missing = MIGRATIONS.filter((name) => !applied.includes(name))
  if (missing.length > 0) return [problem(`The schema is outdated: ${missing.join(', ')} missing.`, FIX)]
  const newest = applied.at(-1) ?? ''
  return [ok(MIGRATIONS.includes(newest) ? `schema ${newest}` : `schema ${newest}, newer than this version`)]
}
