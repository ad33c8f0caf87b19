import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { Statements } from '../../platform/database/database.ts'
import { FIRST_ID, firstIdAt, LAST_ID, monthStart, timeOf } from '../../platform/id-time.ts'
import { type Checkpoint, hashSeal, makeCheckpoint, rootOfSeal, SEAL_TYPE, type SealClaims } from './chain.ts'
import {
  hasRecords,
  readCheckpoints,
  readRecords,
  readSeals,
  type StoredRecord,
  type StoredSeal,
} from './read.ts'
import { readPartition, readSealedHashes } from './store.ts'

export interface VerifyOptions {
  /** The public keys that may have signed seals. */
  keys: JSONWebKeySet
  /** How many whole months before the current one are kept. 0: all. */
  retentionMonths: number
  /** Milliseconds since the epoch. */
  nowMs: number
  /** Seals whose hashes were kept outside of the database. */
  known?: ReadonlyMap<number, string>
  /** Teams that came from another database, each with the first id that it has written here. The seals of the other database cover
   * the records before it. */
  moved?: ReadonlyMap<string, string>
}

export interface Verification {
  /** One sentence for each contradiction. */
  findings: string[]
  /** How many findings there are: `findings` has the first of them. */
  findingCount: number
  records: number
  checkpoints: number
  seals: number
  /** Seals whose records the retention has dropped: only their signatures are checked. */
  expiredSeals: number
  lastSeal: { number: number; hash: string; end: string } | undefined
}

/** A changed table can contradict its seals in every row. */
const MAX_FINDINGS = 100

/** Compares the audit log with its seals. Finds every record that was changed, removed or added after its time was sealed,
 * as long as the keys are secret. Reads in pages, and ignores what is sealed meanwhile. */
export async function verifyAudit(sql: Statements, options: VerifyOptions): Promise<Verification> {
  const findings: string[] = []
  const result: Verification = {
    ...{ findings, findingCount: 0, records: 0, checkpoints: 0, seals: 0, expiredSeals: 0 },
    lastSeal: undefined,
  }
  const report = (finding: string) => {
    result.findingCount += 1
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }
  const keptFrom = await readKeptFrom(sql, options, report)
  const keptSeals = await verifySeals(sql, options, keptFrom, result, report)
  await verifyRecords(sql, { keptFrom, keptSeals, moved: options.moved ?? new Map() }, result, report)
  await findUnsealed(sql, options, result, report)
  if ((await readKeptFrom(sql, options, () => {})) !== keptFrom) {
    report('The retention has dropped a month meanwhile. Run the check again.')
  }
  return result
}

/** The first id of which the table must have all records. */
async function readKeptFrom(
  sql: Statements,
  { retentionMonths, nowMs }: VerifyOptions,
  report: (finding: string) => void,
): Promise<string> {
  const oldest = await readPartition(sql, FIRST_ID)
  if (!oldest) report('The table audit_events has no partitions.')
  if (!oldest?.firstId) return FIRST_ID
  const allowed = retentionMonths === 0 ? FIRST_ID : firstIdAt(monthStart(nowMs, retentionMonths))
  if (oldest.firstId <= allowed) return oldest.firstId
  report(
    `The months before ${dateOf(oldest.firstId)} are gone, though ` +
      (retentionMonths === 0 ? 'all are kept.' : `those since ${dateOf(allowed)} are kept.`),
  )
  return allowed
}

/** The ids that a seal covers: from `start` up to `end`, which is not covered. */
type Covered = Pick<SealClaims, 'start' | 'end'>

/** Checks the chain of seals. Returns those whose records must be there, by number. */
async function verifySeals(
  sql: Statements,
  { keys, known = new Map() }: VerifyOptions,
  keptFrom: string,
  result: Verification,
  report: (finding: string) => void,
): Promise<Map<number, Covered>> {
  const findKey = createLocalJWKSet(keys)
  const kept = new Map<number, Covered>()
  const missing = new Set(known.keys())
  let before: { claims: SealClaims; hash: string } | undefined
  for await (const stored of readSeals(sql)) {
    const { number, endId, seal } = stored
    const hash = hashSeal(seal)
    result.seals += 1
    result.lastSeal = { number, hash, end: endId }
    missing.delete(number)
    if (known.has(number) && known.get(number) !== hash) {
      report(`Seal ${number} has the hash ${hash}, and not the known one, ${known.get(number)}.`)
    }
    const claims = await verifySignature(stored, findKey)
    if (!claims) {
      report(`Seal ${number} is not signed by one of the keys: it was replaced, or an older key is missing.`)
      before = undefined
      continue
    }
    const isNext = before
      ? claims.seal === before.claims.seal + 1 &&
        claims.previous === before.hash &&
        claims.start === before.claims.end
      : claims.seal === 1 && claims.previous === null && claims.start === FIRST_ID
    if (!isNext || claims.seal !== number || claims.end !== endId || claims.end <= claims.start) {
      report(`Seal ${number} does not continue the seal before it: a seal was removed, replaced or moved.`)
    }
    before = { claims, hash }
    if (claims.end <= keptFrom) {
      result.expiredSeals += 1
      continue
    }
    kept.set(number, claims)
    const { hashes, records } = await readSealedHashes(sql, number)
    if (
      hashes.length !== claims.checkpoints ||
      records !== claims.records ||
      rootOfSeal(hashes) !== claims.root
    ) {
      report(`Seal ${number} (up to ${timeText(endId)}) has other checkpoints than those it was made of.`)
    }
  }
  for (const number of missing) report(`Seal ${number}, which is known, is missing.`)
  return kept
}

async function verifySignature(
  { seal }: StoredSeal,
  findKey: ReturnType<typeof createLocalJWKSet>,
): Promise<SealClaims | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(seal, findKey)
    if (protectedHeader.typ !== SEAL_TYPE) return undefined
    return JSON.parse(Buffer.from(payload).toString()) as SealClaims
  } catch {
    return undefined
  }
}

interface RecordsToVerify {
  keptFrom: string
  keptSeals: ReadonlyMap<number, Covered>
  moved: ReadonlyMap<string, string>
}

/** Goes through records and checkpoints in the order of teams, and compares the records of each checkpoint with its hash. */
async function verifyRecords(
  sql: Statements,
  { keptFrom, keptSeals, moved }: RecordsToVerify,
  result: Verification,
  report: (finding: string) => void,
): Promise<void> {
  const sealedUntil = result.lastSeal?.end ?? FIRST_ID
  const lastNumber = result.lastSeal?.number ?? 0
  const records = readRecords(sql, sealedUntil)
  let next = await records.next()
  /** The records of a team up to an id. */
  const take = async (teamId: string, lastId: string): Promise<StoredRecord[]> => {
    const taken: StoredRecord[] = []
    while (!next.done && isUpTo(next.value, teamId, lastId)) {
      reportOtherTime(next.value)
      if (next.value.teamId === teamId) taken.push(next.value)
      else reportUnsealed(next.value)
      result.records += 1
      next = await records.next()
    }
    return taken
  }
  const isFromElsewhere = ({ teamId, id }: StoredRecord) => id < (moved.get(teamId) ?? FIRST_ID)
  const reportUnsealed = (record: StoredRecord) => {
    if (isFromElsewhere(record)) return
    report(`The record ${record.id} of team ${record.teamId} was added after its time was sealed.`)
  }
  const reportOtherTime = ({ teamId, id, at, action }: StoredRecord) => {
    if (Math.abs(timeOf(id) / 1_000 - at) <= MAX_DIFFERENCE_S || LATE_ACTIONS.includes(action)) return
    // A changed record can have any number there; the nearest time that an id can have is always a date.
    const time = timeText(firstIdAt(at * 1_000))
    report(`The record ${id} of team ${teamId} has the time ${time}, and its id another.`)
  }

  let before: Checkpoint | undefined
  for await (const checkpoint of readCheckpoints(sql)) {
    const { seal, teamId, lastId } = checkpoint
    // Its seal is not made yet, or it is made since this check began.
    if (seal > lastNumber) continue
    const previous = before?.teamId === teamId ? before.hash : undefined
    before = checkpoint
    const covered = keptSeals.get(seal)
    if (!covered) continue
    result.checkpoints += 1
    // The checkpoint before may be one that the retention has dropped.
    if (previous ? !checkpoint.previous?.equals(previous) : checkpoint.previous && keptFrom === FIRST_ID) {
      report(`A checkpoint of team ${teamId} before ${timeText(lastId)} was removed or replaced.`)
    }
    const taken = (await take(teamId, lastId)).filter(
      (record) => record.id >= covered.start || !isFromElsewhere(record),
    )
    const hashes = Buffer.concat(taken.map(({ hash }) => hash))
    if (!makeCheckpoint(checkpoint, hashes).hash.equals(checkpoint.hash)) {
      report(
        `Records of team ${teamId} up to ${timeText(lastId)} (seal ${seal}) were changed, removed or added: ` +
          `${checkpoint.records} were sealed, ${taken.length} are there.`,
      )
    }
    // The console signs the checkpoints that it finds: one of an earlier time was added to them.
    for (const { id } of taken) {
      if (id >= covered.start && id < covered.end) continue
      report(`The record ${id} of team ${teamId} was added to seal ${seal} after its time was sealed.`)
    }
  }
  for (const unsealed of await take(LAST_ID, LAST_ID)) reportUnsealed(unsealed)
}

/** Records that should have a seal by now. Their seal may have been removed with everything after it. */
async function findUnsealed(
  sql: Statements,
  { nowMs }: VerifyOptions,
  { lastSeal }: Verification,
  report: (finding: string) => void,
): Promise<void> {
  const from = lastSeal?.end ?? FIRST_ID
  if (!(await hasRecords(sql, from, firstIdAt(nowMs - LATE_MS)))) return
  report(
    lastSeal
      ? `Records since ${timeText(from)} are not sealed. Seals were removed, or the console does not make them.`
      : 'No record is sealed. Seals were removed, or the console does not make them.',
  )
}

/** The time and the id of a record are made by the same process, for the same request. */
const MAX_DIFFERENCE_S = 120

/** Calls of services can be stored long after they were made, while the database is down, with an id of the time at which they are
 * stored. */
const LATE_ACTIONS = ['service_called']

/** The console seals a record about four minutes after it was made. */
const LATE_MS = 900_000

function isUpTo(record: StoredRecord, teamId: string, lastId: string): boolean {
  return record.teamId < teamId || (record.teamId === teamId && record.id <= lastId)
}

const timeText = (id: string) => new Date(timeOf(id)).toISOString()
const dateOf = (id: string) => timeText(id).slice(0, 10)
