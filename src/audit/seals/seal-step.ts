import type { Logger } from 'pino'
import type { Statements } from '../../platform/database/database.ts'
import { FIRST_ID, firstIdAt, idAfter, LAST_ID, timeOf } from '../../platform/id-time.ts'
import type { Signer } from '../../platform/secrets/signer.ts'
import { hashSeal, makeCheckpoint, rootOfSeal, SEAL_TYPE, type SealClaims } from './chain.ts'
import { createRecordHasher } from './record-hash.ts'
import {
  insertCheckpoints,
  insertSeal,
  readLastHashes,
  readPartition,
  readSealedHashes,
  readSealing,
  type ScannedTeam,
  type Sealing,
  scanRecords,
  writePosition,
} from './store.ts'

/** A record is sealed when it is older. The database takes no record that is older than two minutes (see the policies of
 * audit_events), and a transaction that has added one commits within the third. */
const GRACE_MS = 180_000

/** Several processes look for new records. A seal covers at least about a minute all the same. */
const MIN_SEAL_MS = 50_000

export interface SealStepOptions {
  signer: Signer
  log: Logger
  /** Receives the time up to which all records are sealed, in milliseconds since the epoch. */
  setSealedUntil: (ms: number) => void
  graceMs?: number
  maxTeams?: number
  maxRecords?: number
}

interface NextSeal {
  sealing: Sealing
  seal: number
  start: string
  end: string
  isWholeMonth: boolean
}

/** Seals the records since the last seal, a limited number in each run: first checkpoints, team by team, then the seal over
 * them. The position is in the database, so another process can continue. */
export function createSealStep({
  signer,
  log,
  setSealedUntil,
  graceMs = GRACE_MS,
  maxTeams = 2_000,
  maxRecords = 5_000,
}: SealStepOptions) {
  /** Returns whether there is more to do. */
  return async (sql: Statements): Promise<boolean> => {
    const sealing = await readSealing(sql)
    const start = sealing.lastEnd ?? FIRST_ID
    const partition = await readPartition(sql, start)
    if (!partition) return false
    const seal = (sealing.lastNumber ?? 0) + 1
    // A seal does not go beyond a month: the retention removes all of its records, or none.
    const newest = firstIdAt(partition.nowMs - graceMs)
    const end = sealing.endId ?? (newest < partition.endId ? newest : partition.endId)
    const isWholeMonth = end === partition.endId
    if (end <= start || (!isWholeMonth && timeOf(end) - timeOf(start) < MIN_SEAL_MS)) return false

    const scanned = await scanRecords(sql, await createRecordHasher(sql), {
      ...{ start, end, partition, maxTeams, maxRecords },
      nextTeam: sealing.nextTeam ?? FIRST_ID,
      nextId: sealing.nextId ?? start,
    })
    await addCheckpoints(sql, seal, scanned)
    const last = scanned.at(-1)
    if (last?.teamId && (last.lastId || last.teamId !== LAST_ID)) {
      await writePosition(sql, {
        endId: end,
        nextTeam: last.lastId ? last.teamId : idAfter(last.teamId),
        nextId: last.lastId ? idAfter(last.lastId) : start,
      })
      return true
    }
    const isSealed = await addSeal(sql, { sealing, seal, start, end, isWholeMonth })
    if (sealing.endId !== null || isSealed) await writePosition(sql, undefined)
    setSealedUntil(timeOf(end))
    return isSealed && isWholeMonth
  }

  /** Without records there is no seal, except at the end of a month. Returns whether there is one. */
  async function addSeal(
    sql: Statements,
    { sealing, seal, start, end, isWholeMonth }: NextSeal,
  ): Promise<boolean> {
    const { hashes, records } = await readSealedHashes(sql, seal)
    if (records === 0 && !isWholeMonth) return false
    const claims: SealClaims = {
      ...{ seal, start, end, records, checkpoints: hashes.length, root: rootOfSeal(hashes) },
      previous: sealing.lastSeal === null ? null : hashSeal(sealing.lastSeal),
      iat: Math.floor(Date.now() / 1_000),
    }
    const text = await signer.sign({ ...claims }, SEAL_TYPE)
    await insertSeal(sql, { number: seal, endId: end, seal: text })
    // A copy of the log outside of the database shows later whether the seals were replaced.
    log.info({ seal, hash: hashSeal(text), records }, 'sealed the audit log')
    return true
  }
}

async function addCheckpoints(sql: Statements, seal: number, scanned: ScannedTeam[]): Promise<void> {
  const teams = scanned.filter(hasRecords)
  if (teams.length === 0) return
  const previous = await readLastHashes(
    sql,
    teams.map(({ teamId }) => teamId),
  )
  const checkpoints = teams.map(({ teamId, lastId, hashes }) =>
    makeCheckpoint({ teamId, seal, lastId, previous: previous.get(teamId) ?? null }, hashes),
  )
  await insertCheckpoints(sql, checkpoints)
}

type TeamWithRecords = { [Column in keyof ScannedTeam]: NonNullable<ScannedTeam[Column]> }

function hasRecords(team: ScannedTeam): team is TeamWithRecords {
  return team.lastId !== null
}
