import { hash } from 'node:crypto'
import type { Statements } from '../../platform/database/database.ts'

/** The text of each column; null without a value. */
export type RecordValues = (string | null)[]

/** Reads and hashes audit events with all columns that the table has now. */
export interface RecordHasher {
  /** Selects the values of the row `e`, as JSON. */
  selection: string
  /** Covers name and text of each column that is not null. A column that is added later is null in older records, so their
   * hashes stay the same. */
  hash: (values: RecordValues) => Buffer
}

export async function createRecordHasher(sql: Statements): Promise<RecordHasher> {
  const columns = await sql.read<{ name: string; quoted: string }>({
    name: undefined,
    text: `
SELECT attname AS name, quote_ident(attname) AS quoted FROM pg_attribute
WHERE attrelid = 'audit_events'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname COLLATE "C"`,
    values: [],
  })
  return {
    selection: `json_build_array(${columns.map(({ quoted }) => `e.${quoted}::text`).join(', ')})`,
    hash: (values) => {
      const pairs = columns
        .map(({ name }, index) => [name, values[index]])
        .filter(([, text]) => text !== null)
      return hash('sha256', JSON.stringify(pairs), 'buffer')
    },
  }
}
