import type { Statements } from '../../platform/database/database.ts'
import { FIRST_ID } from '../../platform/id-time.ts'
import type { Checkpoint } from './chain.ts'
import { createRecordHasher, type RecordValues } from './record-hash.ts'

const PAGE_SIZE = 5_000

export interface StoredSeal {
  number: number
  endId: string
  seal: string
}

export interface StoredRecord {
  teamId: string
  id: string
  /** Unix time in seconds. */
  at: number
  action: string
  hash: Buffer
}

interface ReadRow extends Omit<StoredRecord, 'hash'> {
  values: RecordValues
}

/** All seals in their order. */
export async function* readSeals(sql: Statements): AsyncGenerator<StoredSeal> {
  yield* readPages((last?: StoredSeal) =>
    sql.read({
      name: undefined,
      text: `
SELECT number, end_id AS "endId", seal FROM audit_seals WHERE number > $1 ORDER BY number LIMIT ${PAGE_SIZE}`,
      values: [last?.number ?? -1],
    }),
  )
}

/** All checkpoints, in the order of teams and ids. */
export async function* readCheckpoints(sql: Statements): AsyncGenerator<Checkpoint> {
  yield* readPages((last?: Checkpoint) =>
    sql.read({
      name: undefined,
      text: `
SELECT team_id AS "teamId", last_id AS "lastId", seal, records, previous, hash FROM audit_checkpoints
WHERE (team_id, last_id) > ($1, $2) ORDER BY team_id, last_id LIMIT ${PAGE_SIZE}`,
      values: [last?.teamId ?? FIRST_ID, last?.lastId ?? FIRST_ID],
    }),
  )
}

/** The records of all teams before an id, in the order of teams and ids. */
export async function* readRecords(sql: Statements, endId: string): AsyncGenerator<StoredRecord, undefined> {
  const { selection, hash } = await createRecordHasher(sql)
  const pages = readPages((last?: ReadRow) =>
    sql.read<ReadRow>({
      name: undefined,
      text: `
SELECT team_id AS "teamId", id, at, action, ${selection} AS values FROM audit_events e
WHERE (team_id, id) > ($1, $2) AND id < $3 ORDER BY team_id, id LIMIT ${PAGE_SIZE}`,
      values: [last?.teamId ?? FIRST_ID, last?.id ?? FIRST_ID, endId],
    }),
  )
  for await (const { values, ...record } of pages) yield { ...record, hash: hash(values) }
  return undefined
}

/** Whether any team has a record with an id from one up to another, which is excluded. */
export async function hasRecords(sql: Statements, firstId: string, endId: string): Promise<boolean> {
  const [row] = await sql.read<{ found: boolean }>({
    name: undefined,
    text: 'SELECT EXISTS (SELECT FROM audit_events WHERE id >= $1 AND id < $2) AS found',
    values: [firstId, endId],
  })
  return row?.found === true
}

async function* readPages<Row>(readAfter: (last?: Row) => Promise<Row[]>): AsyncGenerator<Row> {
  let rows: Row[] = []
  do {
    rows = await readAfter(rows.at(-1))
    yield* rows
  } while (rows.length === PAGE_SIZE)
}
