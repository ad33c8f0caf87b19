import { readdirSync } from 'node:fs'

/** The names of the migrations that this version of the code needs, as `schema_migrations` has them. */
export const MIGRATIONS: readonly string[] = readdirSync(new URL('../../../migrations', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -'.sql'.length))
  .toSorted()
