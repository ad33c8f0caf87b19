import { type Client, escapeIdentifier } from 'pg'
import type { Databases } from './replication.ts'
import { rowText, type TeamTable } from './tables.ts'

export interface Difference {
  /** Of the row that is missing at one side, or has other values there. */
  key: string
  isInTarget: boolean
}

interface Row {
  /** The rows of both sides are read in the order of the places, so that few are in memory. */
  place: string
  key: string
  hash: string
}

const ROWS_AT_ONCE = 10_000

/** The rows of a team that differ. `condition` begins with AND. */
export async function* findDifferences(
  { source, target }: Databases,
  team: string,
  table: TeamTable,
  condition = '',
): AsyncGenerator<Difference> {
  const here = readRows(target, team, table, condition)
  const there = readRows(source, team, table, condition)
  try {
    // The target first: what is copied from the source meanwhile is found there.
    let ours = await next(here)
    let theirs = await next(there)
    while (ours || theirs) {
      const order = compare(ours, theirs)
      const isInTarget = order <= 0
      if (order !== 0 || ours?.hash !== theirs?.hash)
        yield { key: ((isInTarget ? ours : theirs) as Row).key, isInTarget }
      if (order <= 0) ours = await next(here)
      if (order >= 0) theirs = await next(there)
    }
  } finally {
    await here.return()
    await there.return()
  }
}

/** The end comes after every place. */
function compare(one: Row | undefined, other: Row | undefined): number {
  if (!one || !other) return Number(!one) - Number(!other)
  return one.place < other.place ? -1 : Number(one.place > other.place)
}

async function next(rows: AsyncGenerator<Row, void>): Promise<Row | undefined> {
  const { value } = await rows.next()
  return value ?? undefined
}

/** As they are at the first one. */
async function* readRows(
  client: Client,
  team: string,
  { name, columns, key = columns }: TeamTable,
  condition: string,
): AsyncGenerator<Row, void> {
  await client.query(
    `DECLARE rows_of_team CURSOR WITH HOLD FOR
     SELECT md5(key) AS place, key, hash
     FROM (
       SELECT ${rowText(key)} AS key, md5(${rowText(columns)}) AS hash FROM ${escapeIdentifier(name)}
       WHERE team_id = '${team}' ${condition}
     ) AS hashed
     ORDER BY md5(key) COLLATE "C"`,
  )
  try {
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM rows_of_team`)
      yield* rows
      if (rows.length < ROWS_AT_ONCE) return
    }
  } finally {
    await client.query('CLOSE rows_of_team')
  }
}
