import type { Client } from 'pg'

/** What PostgreSQL stores about the tables of the schema. */
export interface Catalogue {
  /** The file and the rows of each table and index, by its id. */
  relations: Map<string, Relation>
  constraints: Map<string, Constraint>
  /** `table.column` of each column that cannot be null. */
  notNull: Set<string>
  columns: Set<string>
}

interface Relation {
  name: string
  /** The table of an index. */
  table: string | undefined
  isIndex: boolean
  isValid: boolean
  file: string
  /** Changes if a row changes. Undefined for an index and for a table that always has one row. */
  rows: string | undefined
}

interface Constraint {
  name: string
  table: string
  isValidated: boolean
  definition: string
}

export async function readCatalogue(client: Client): Promise<Catalogue> {
  const { rows: relations } = await client.query<Relation & { oid: string; isSingle: boolean }>(RELATIONS)
  const { rows: constraints } = await client.query<Constraint & { oid: string }>(CONSTRAINTS)
  const { rows: columns } = await client.query<{ name: string; isNotNull: boolean }>(COLUMNS)
  for (const relation of relations) {
    if (relation.isIndex || relation.isSingle) continue
    const { rows } = await client.query<{ rows: string }>(
      `SELECT coalesce(string_agg(ctid::text || xmin, ' '), '') AS rows FROM "${relation.name}"`,
    )
    relation.rows = rows[0]?.rows
  }
  return {
    relations: new Map(relations.map((relation) => [relation.oid, relation])),
    constraints: new Map(constraints.map((constraint) => [constraint.oid, constraint])),
    notNull: new Set(columns.filter(({ isNotNull }) => isNotNull).map(({ name }) => name)),
    columns: new Set(columns.map(({ name }) => name)),
  }
}

const IN_SCHEMA = "relnamespace = current_schema()::regnamespace AND c.relname <> 'schema_migrations'"

const RELATIONS = `
SELECT c.oid::text, c.relname AS name, t.relname AS table, c.relkind = 'i' AS "isIndex",
  coalesce(indisvalid, true) AS "isValid", c.relfilenode::text AS file,
  EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'is_only_row') AS "isSingle"
FROM pg_class c LEFT JOIN pg_index ON indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = indrelid
WHERE c.${IN_SCHEMA} AND c.relkind IN ('r', 'i') AND t.relname IS DISTINCT FROM 'schema_migrations'`

const CONSTRAINTS = `
SELECT o.oid::text, conname AS name, relname AS table, convalidated AS "isValidated",
  pg_get_constraintdef(o.oid) AS definition
FROM pg_constraint o JOIN pg_class c ON c.oid = conrelid
WHERE c.${IN_SCHEMA} AND contype IN ('c', 'f')`

const COLUMNS = `
SELECT relname || '.' || attname AS name, attnotnull AS "isNotNull"
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE c.${IN_SCHEMA} AND c.relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`
