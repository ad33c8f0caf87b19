import { type Client, escapeIdentifier } from 'pg'
import type { Databases } from './replication.ts'
import { rowText, type TeamTable } from './tables.ts'

export interface Comparison {
  /** Rows of the team in the source. */
  rows: number
  /** One sentence for each table that differs. */
  differences: string[]
}

const MAX_EXAMPLES = 3

/** Compares the rows of a team in both databases, table by table. */
export async function compareTeam(
  { source, target }: Databases,
  team: string,
  tables: TeamTable[],
): Promise<Comparison> {
  const comparison: Comparison = { rows: 0, differences: [] }
  for (const table of tables) {
    const [there, here] = await Promise.all([
      readDigest(source, team, table),
      readDigest(target, team, table),
    ])
    comparison.rows += there.rows
    if (there.rows === here.rows && there.digest === here.digest) continue
    const examples = await findDifferent({ source, target }, team, table)
    comparison.differences.push(
      `${table.name}: ${there.rows} rows in the source, ${here.rows} in the target; ` +
        `different: ${examples.join(', ') || 'none any more'}.`,
    )
  }
  return comparison
}

/** The sum of the hashes of the rows: it needs no order. */
async function readDigest(
  client: Client,
  team: string,
  { name, columns }: TeamTable,
): Promise<{ rows: number; digest: string }> {
  const { rows } = await client.query<{ rows: number; digest: string }>(
    `SELECT count(*)::float8 AS rows, coalesce(sum(('x' || left(hash, 16))::bit(64)::bigint::numeric), 0)::text AS digest
     FROM (SELECT md5(${rowText(columns)}) AS hash FROM ${escapeIdentifier(name)} WHERE team_id = $1) hashed`,
    [team],
  )
  return rows[0] as { rows: number; digest: string }
}

/** The keys of some rows that differ. */
async function findDifferent(
  { source, target }: Databases,
  team: string,
  { name, columns, key = columns }: TeamTable,
): Promise<string[]> {
  const read = async (client: Client) => {
    const { rows } = await client.query<{ key: string; hash: string }>(
      `SELECT ${rowText(key)} AS key, md5(${rowText(columns)}) AS hash FROM ${escapeIdentifier(name)} WHERE team_id = $1`,
      [team],
    )
    return new Map(rows.map((row) => [row.key, row.hash]))
  }
  const [there, here] = await Promise.all([read(source), read(target)])
  const keys = new Set([...there.keys(), ...here.keys()])
  return [...keys].filter((each) => there.get(each) !== here.get(each)).slice(0, MAX_EXAMPLES)
}
