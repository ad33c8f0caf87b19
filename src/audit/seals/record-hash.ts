import { escapeLiteral } from 'pg'
import type { Statements } from '../../platform/database/database.ts'
import { LEAF, leafOf } from './hash-tree.ts'

/** Types whose texts need no escape in JSON. */
const PLAIN_TYPES = ['uuid', 'bigint']

/** The text of each column; null without a value. */
export type RecordValues = (string | null)[]

/** Reads and hashes audit events with all columns that the table has now. */
export interface RecordHasher {
  /** Selects the values of the row `e`, as JSON. */
  selection: string
  /** The leaf of the hash tree for a record. Covers name and text of each column that is not null. A column that is added later is
   * null in older records, so their hashes stay the same. */
  hash: (values: RecordValues) => Buffer
  /** Selects the same hash of the row `e`. The process takes twice as long to read the values of a row and hash them. */
  hashSelection: string
}

interface Column {
  name: string
  quoted: string
  type: string
}

export async function createRecordHasher(sql: Statements): Promise<RecordHasher> {
  const columns = await sql.read<Column>({
    name: undefined,
    text: `
SELECT attname AS name, quote_ident(attname) AS quoted, format_type(atttypid, NULL) AS type FROM pg_attribute
WHERE attrelid = 'audit_events'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname COLLATE "C"`,
    values: [],
  })
  return {
    selection: `json_build_array(${columns.map(({ quoted }) => `e.${quoted}::text`).join(', ')})`,
    hash: (values) => {
      const pairs = columns
        .map(({ name }, index) => [name, values[index]])
        .filter(([, text]) => text !== null)
      return leafOf(Buffer.from(JSON.stringify(pairs)))
    },
    // concat_ws leaves out the columns that are null.
    hashSelection: `sha256('\\x${LEAF.toString('hex')}' ||
      convert_to('[' || concat_ws(',', ${columns.map(pairOf).join(', ')}) || ']', 'UTF8'))`,
  }
}

/** The name and the text of a column as JSON, in SQL. */
function pairOf({ name, quoted, type }: Column): string {
  const json = PLAIN_TYPES.includes(type) ? `'"' || e.${quoted} || '"'` : `to_json(e.${quoted}::text)::text`
  return `${escapeLiteral(`[${JSON.stringify(name)},`)} || ${json} || ']'`
}
