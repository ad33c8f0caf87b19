import { type Client, escapeIdentifier } from 'pg'
import { findDifferences } from './differences.ts'
import type { Databases } from './replication.ts'
import { AUDIT, rowText, type TeamTable } from './tables.ts'

export interface Comparison {
  /** Rows of the team in the source. */
  rows: number
  /** One sentence for each table that differs. */
  differences: string[]
}

const MAX_EXAMPLES = 3

/** Compares the rows of a team in both databases, table by table. */
export async function compareTeam(
  databases: Databases,
  team: string,
  tables: TeamTable[],
): Promise<Comparison> {
  const comparison: Comparison = { rows: 0, differences: [] }
  for (const table of tables) {
    const [there, here] = await readDigests(databases, team, table)
    comparison.rows += there.rows
    if (isSame(there, here)) continue
    const examples = await findDifferent(databases, team, table)
    comparison.differences.push(
      `${table.name}: ${there.rows} rows in the source, ${here.rows} in the target; ` +
        `different: ${examples.join(', ') || 'none any more'}.`,
    )
  }
  return comparison
}

interface Digest {
  rows: number
  /** The sum of the hashes of the rows: it needs no order. */
  sum: string
}

const isSame = (one: Digest, other: Digest) => one.rows === other.rows && one.sum === other.sum

async function readDigests(
  { source, target }: Databases,
  team: string,
  { name, columns }: TeamTable,
): Promise<[source: Digest, target: Digest]> {
  const read = async (client: Client) => {
    const { rows } = await client.query<Digest>(
      `SELECT count(*)::float8 AS rows, coalesce(sum(('x' || left(hash, 16))::bit(64)::bigint::numeric), 0)::text AS sum
       FROM (SELECT md5(${rowText(columns)}) AS hash FROM ${escapeIdentifier(name)} WHERE team_id = $1) hashed`,
      [team],
    )
    return rows[0] as Digest
  }
  return Promise.all([read(source), read(target)])
}

/** The keys of some rows that differ. */
async function findDifferent(databases: Databases, team: string, table: TeamTable): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of findDifferences(databases, team, table)) {
    keys.push(key)
    if (keys.length === MAX_EXAMPLES) break
  }
  return keys
}

/** One sentence for each table where the team has changed something at the target since the cut-over. */
export async function findOwnChanges(
  databases: Databases,
  team: string,
  tables: TeamTable[],
  cutOverId: string,
): Promise<string[]> {
  const changes: string[] = []
  // The source goes on to store the names of users.
  for (const table of tables.filter(({ name }) => name !== 'users')) {
    const isAudit = table.name === AUDIT
    if (!isAudit && isSame(...(await readDigests(databases, team, table)))) continue
    const newer = isAudit ? `AND id >= '${cutOverId}'` : ''
    const own: string[] = []
    for await (const { key, isInTarget } of findDifferences(databases, team, table, newer)) {
      // Maintenance erases what has expired, at both sides; a saved view does not expire.
      if (isInTarget || table.name === 'saved_views') own.push(key)
      if (own.length === MAX_EXAMPLES) break
    }
    if (own.length > 0) changes.push(`${table.name}: ${own.join(', ')}`)
  }
  return changes
}
