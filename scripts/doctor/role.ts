import type { Client } from 'pg'
import { unnamed } from '../../src/platform/postgres/sql.ts'
import { APPEND_ONLY, FUNCTION_GRANTS, RETENTION_GRANTS, TABLE_GRANTS } from '../grants.ts'
import { type Context, orOk, problem, type Result } from './finding.ts'

const FIX_TOO_MUCH = 'Connect as a role of its own that owns nothing (docs/operating.md, Database roles).'

/** Whether the role of the console can do too much. */
export async function checkRole(client: Client): Promise<Result[]> {
  const { rows } = await client.query<{
    role: string
    isSuperuser: boolean
    ignoresPolicies: boolean
    owned: string[]
    writable: string[]
  }>(unnamed`
    SELECT
      current_user AS role,
      rolsuper AS "isSuperuser",
      rolbypassrls AS "ignoresPolicies",
      ARRAY(
        SELECT relname::text FROM pg_class
        WHERE oid IN (SELECT to_regclass(name) FROM unnest(${Object.keys(TABLE_GRANTS)}::text[]) AS name)
          AND pg_has_role(current_user, relowner, 'USAGE')
        ORDER BY relname
      ) AS owned,
      ARRAY(
        SELECT name FROM unnest(${APPEND_ONLY}::text[]) AS name
        WHERE to_regclass(name) IS NOT NULL AND has_table_privilege(to_regclass(name), 'UPDATE, DELETE, TRUNCATE')
      ) AS writable
    FROM pg_roles WHERE rolname = current_user`)
  const [found] = rows
  if (!found) throw new Error('PostgreSQL does not know the role')
  const { role, isSuperuser, ignoresPolicies, owned, writable } = found
  if (isSuperuser)
    return [problem(`The role ${role} is a superuser: it can change the audit log.`, FIX_TOO_MUCH)]
  return orOk(
    [
      ignoresPolicies
        ? problem(`The role ${role} has BYPASSRLS: it can add audit records of the past.`, FIX_TOO_MUCH)
        : undefined,
      owned.length > 0
        ? problem(`The role ${role} owns tables (${owned[0]}): it can change the audit log.`, FIX_TOO_MUCH)
        : undefined,
      writable.length > 0 && owned.length === 0
        ? problem(
            `The role ${role} may change or delete audit records (${writable.join(', ')}).`,
            `REVOKE UPDATE, DELETE, TRUNCATE ON ${writable.join(', ')} FROM ${role}, as the owner.`,
          )
        : undefined,
    ],
    `the role ${role} owns nothing and cannot change the audit log`,
  )
}

/** Whether the role has every right that it needs. */
export async function checkGrants(client: Client, { config }: Context): Promise<Result[]> {
  const retains = config.auditRetentionMonths > 0
  const tables = Object.entries(TABLE_GRANTS).flatMap(([table, rights]) =>
    rights.map((right) => {
      const [, name = right, column = null] = /^(\w+) \((\w+)\)$/.exec(right) ?? []
      return { table, right: name, column }
    }),
  )
  const functions = [...FUNCTION_GRANTS, ...(retains ? RETENTION_GRANTS : [])]
  // A table or function that does not exist is a matter of the schema.
  const { rows } = await client.query<{ missing: string }>(unnamed`
    SELECT right_name || COALESCE(' (' || column_name || ')', '') || ' ON ' || table_name AS missing
    FROM unnest(
      ${tables.map(({ table }) => table)}::text[],
      ${tables.map(({ right }) => right)}::text[],
      ${tables.map(({ column }) => column)}::text[]
    ) AS needed (table_name, right_name, column_name)
    WHERE to_regclass(table_name) IS NOT NULL
      AND NOT CASE
        WHEN column_name IS NULL THEN has_table_privilege(to_regclass(table_name), right_name)
        ELSE has_column_privilege(to_regclass(table_name), column_name, right_name)
      END
    UNION ALL
    SELECT 'EXECUTE ON FUNCTION ' || name
    FROM unnest(${functions}::text[]) AS name
    WHERE to_regprocedure(name) IS NOT NULL AND NOT has_function_privilege(to_regprocedure(name), 'EXECUTE')`)
  return orOk(
    rows.map(({ missing }) =>
      problem(
        `The role may not ${missing}.`,
        `GRANT ${missing} to it, as the owner (docs/operating.md, Database roles).`,
      ),
    ),
    `${tables.length + functions.length} rights on tables and functions`,
  )
}
