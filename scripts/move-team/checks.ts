import { type Client, escapeIdentifier } from 'pg'
import { type TeamTable } from './tables.ts'

/** Throws unless the rows of the team can be copied from one database to the other. */
export async function checkMove(
  source: Client,
  target: Client,
  team: string,
  tables: TeamTable[],
): Promise<void> {
  const faults = [
    ...(await checkSource(source)),
    ...(await checkSchemas(source, target, tables)),
    ...(await checkUpgrade(source, 'source')),
    ...(await checkUpgrade(target, 'target')),
    ...(await checkTeam(source, target, team, tables)),
  ]
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

async function checkSource(source: Client): Promise<string[]> {
  const { rows } = await source.query<{ wal_level: string }>('SHOW wal_level')
  return rows[0]?.wal_level === 'logical' ? [] : ['The source needs wal_level = logical, and a restart.']
}

async function checkSchemas(source: Client, target: Client, tables: TeamTable[]): Promise<string[]> {
  const migrations = async (client: Client) => {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')
    return rows.map(({ name }) => name).join()
  }
  const isSame = (await migrations(source)) === (await migrations(target))
  const { rows: sequences } = await source.query<{ name: string }>(SEQUENCES, [
    tables.map(({ name }) => name),
  ])
  const { rows: incomparable } = await source.query<{ name: string }>(JSON_COLUMNS, [
    tables.filter(({ key }) => key === undefined).map(({ name }) => name),
  ])
  return [
    ...(isSame ? [] : ['The databases have different migrations: bring both to the same version.']),
    ...sequences.map(({ name }) => `${name} uses a sequence, which logical replication does not copy.`),
    ...incomparable.map(({ name }) => `${name} has no primary key, and a json column cannot replace one.`),
  ]
}

const SEQUENCES = `
SELECT DISTINCT t.relname AS name FROM pg_depend
JOIN pg_class s ON s.oid = objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = refobjid
WHERE t.relname = ANY ($1) AND t.relnamespace = current_schema()::regnamespace`

const JSON_COLUMNS = `
SELECT DISTINCT relname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relname = ANY ($1) AND relnamespace = current_schema()::regnamespace AND atttypid = 'json'::regtype`

/** Maintenance adds rows to old agents after an upgrade: it must not add those that are copied. */
async function checkUpgrade(client: Client, side: string): Promise<string[]> {
  const { rows } = await client.query<{ isDone: boolean }>(
    `SELECT is_done AND passes_left = 0 AS "isDone" FROM agent_filters_progress, delegation_backfill`,
  )
  return rows[0]?.isDone ? [] : [`Maintenance of the ${side} has not finished the last upgrade: wait for it.`]
}

async function checkTeam(
  source: Client,
  target: Client,
  team: string,
  tables: TeamTable[],
): Promise<string[]> {
  const tablesWithRows = async (client: Client) => {
    const found: string[] = []
    for (const { name } of tables) {
      const { rowCount } = await client.query(
        `SELECT FROM ${escapeIdentifier(name)} WHERE team_id = $1 LIMIT 1`,
        [team],
      )
      if (rowCount !== 0) found.push(name)
    }
    return found
  }
  const inTarget = await tablesWithRows(target)
  return [
    ...((await tablesWithRows(source)).length > 0 ? [] : [`The source has no team ${team}.`]),
    ...(inTarget.length > 0 ? [`The target already has rows of the team: ${inTarget.join(', ')}.`] : []),
  ]
}
