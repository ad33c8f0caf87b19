import type { Statements } from '../../platform/database/database.ts'
import { FIRST_ID } from '../../platform/id-time.ts'
import type { Checkpoint } from './chain.ts'
import type { RecordHasher } from './record-hash.ts'

/** The state of the work on the next seal. */
export interface Sealing {
  /** The last seal; null before the first. */
  lastNumber: number | null
  lastSeal: string | null
  lastEnd: string | null
  /** The end of the next seal and the position up to which it has checkpoints; null if it is not begun. */
  endId: string | null
  nextTeam: string | null
  nextId: string | null
}

export async function readSealing(sql: Statements): Promise<Sealing> {
  const [sealing] = await sql.read<Sealing>({
    name: undefined,
    text: `
SELECT number AS "lastNumber", seal AS "lastSeal", s.end_id AS "lastEnd",
  w.end_id AS "endId", next_team AS "nextTeam", next_id AS "nextId"
FROM audit_sealing w LEFT JOIN LATERAL (SELECT * FROM audit_seals ORDER BY number DESC LIMIT 1) s ON true`,
    values: [],
  })
  if (!sealing) throw new Error('audit_sealing has lost its row')
  return sealing
}

/** The bounds of the partition that contains an id, or else of the next one, and the current time of the database. */
export interface PartitionBounds {
  firstId: string | null
  endId: string
  nowMs: number
}

export async function readPartition(sql: Statements, id: string): Promise<PartitionBounds | undefined> {
  const [bounds] = await sql.read<PartitionBounds>({
    name: undefined,
    text: `
SELECT first_id AS "firstId", end_id AS "endId", floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
FROM audit_partitions WHERE end_id > $1 ORDER BY end_id LIMIT 1`,
    values: [id],
  })
  return bounds
}

export interface ScanRange {
  /** The ids to read: from `start` up to `end`, which is excluded. */
  start: string
  end: string
  /** Where to begin: this id of this team, then the teams after it. */
  nextTeam: string
  nextId: string
  partition: PartitionBounds
  maxTeams: number
  maxRecords: number
}

/** The records of a team in the range, if it has any. The last row of a complete scan has no team. */
export interface ScannedTeam {
  teamId: string | null
  lastId: string | null
  /** The hashes of its records in their order, one after the other. */
  hashes: Buffer | null
}

/** Goes from team to team by the primary key, so that the cost depends on the teams of the month and on the records of the
 * range, not on the size of the table. No index on the id alone is needed. */
export function scanRecords(
  sql: Statements,
  { hashSelection }: RecordHasher,
  range: ScanRange,
): Promise<ScannedTeam[]> {
  const { start, end, nextTeam, nextId, partition, maxTeams, maxRecords } = range
  return sql.read({
    name: undefined,
    text: scanStatement(hashSelection),
    values: [
      nextTeam,
      nextId,
      start,
      end,
      partition.firstId ?? FIRST_ID,
      partition.endId,
      maxTeams,
      maxRecords,
    ],
  })
}

const scanStatement = (hashSelection: string) => `
WITH RECURSIVE teams (team_id, position) AS (
  SELECT (
    SELECT team_id FROM audit_events WHERE team_id >= $1 AND id >= $5 AND id < $6 ORDER BY team_id LIMIT 1
  ), 1
  UNION ALL
  SELECT (
    SELECT e.team_id FROM audit_events e
    WHERE e.team_id > teams.team_id AND e.id >= $5 AND e.id < $6 ORDER BY e.team_id LIMIT 1
  ), position + 1
  FROM teams WHERE teams.team_id IS NOT NULL AND position < $7::int
), records AS (
  SELECT teams.team_id, record.id, record.hash
  FROM teams LEFT JOIN LATERAL (
    SELECT e.id, ${hashSelection} AS hash
    FROM audit_events e
    WHERE e.team_id = teams.team_id AND e.id >= CASE WHEN teams.team_id = $1 THEN $2::uuid ELSE $3::uuid END
      AND e.id >= $5 AND e.id < $4
    ORDER BY e.id
    LIMIT $8
  ) record ON true
  -- In the order of teams and ids: a nested loop over them is the only plan for this join.
  LIMIT $8
)
SELECT team_id AS "teamId", max(id::text COLLATE "C") AS "lastId", string_agg(hash, ''::bytea ORDER BY id) AS hashes
FROM records GROUP BY team_id ORDER BY team_id`

/** The hash of the last checkpoint of each team that has one. */
export async function readLastHashes(sql: Statements, teamIds: string[]): Promise<Map<string, Buffer>> {
  const rows = await sql.read<{ teamId: string; hash: Buffer }>({
    name: undefined,
    text: `
SELECT team.id AS "teamId", hash
FROM unnest($1::uuid[]) team (id), LATERAL (
  SELECT hash FROM audit_checkpoints WHERE team_id = team.id ORDER BY last_id DESC LIMIT 1
) last`,
    values: [teamIds],
  })
  return new Map(rows.map(({ teamId, hash }) => [teamId, hash]))
}

export async function insertCheckpoints(sql: Statements, checkpoints: Checkpoint[]): Promise<void> {
  await sql.write({
    name: undefined,
    text: `
INSERT INTO audit_checkpoints (team_id, last_id, seal, records, previous, hash)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[], $5::bytea[], $6::bytea[])`,
    values: [
      checkpoints.map(({ teamId }) => teamId),
      checkpoints.map(({ lastId }) => lastId),
      checkpoints.map(({ seal }) => seal),
      checkpoints.map(({ records }) => records),
      checkpoints.map(({ previous }) => previous),
      checkpoints.map(({ hash }) => hash),
    ],
  })
}

export async function writePosition(
  sql: Statements,
  position: { endId: string; nextTeam: string; nextId: string } | undefined,
): Promise<void> {
  await sql.write({
    name: undefined,
    text: 'UPDATE audit_sealing SET end_id = $1, next_team = $2, next_id = $3',
    values: [position?.endId ?? null, position?.nextTeam ?? null, position?.nextId ?? null],
  })
}

/** The hashes of the checkpoints of a seal, in the order of teams, and the number of their records. */
export async function readSealedHashes(
  sql: Statements,
  seal: number,
): Promise<{ hashes: Buffer[]; records: number }> {
  const rows = await sql.read<{ hash: Buffer; records: number }>({
    name: undefined,
    text: 'SELECT hash, records FROM audit_checkpoints WHERE seal = $1 ORDER BY team_id, last_id',
    values: [seal],
  })
  return { hashes: rows.map(({ hash }) => hash), records: rows.reduce((sum, row) => sum + row.records, 0) }
}

export async function insertSeal(
  sql: Statements,
  { number, endId, seal }: { number: number; endId: string; seal: string },
): Promise<void> {
  await sql.write({
    name: undefined,
    text: 'INSERT INTO audit_seals (number, end_id, seal) VALUES ($1, $2, $3)',
    values: [number, endId, seal],
  })
}
