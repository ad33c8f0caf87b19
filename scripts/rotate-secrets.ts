import { Client } from 'pg'
import { parseInteger, parseKeyring } from '../src/config.ts'
import { createSecrets, type Secrets } from '../src/platform/secrets.ts'
import { orExit, readOption } from './options.ts'

/** Seals anew, under the first key of the ring, every secret that another key sealed. It may run while the console
 * serves, be killed at any moment and be started again: what is done is told by the sealed bytes themselves. */

const FIELDS = ['api_key', 'github_token'] as const

/** As many agents are read at a time, and as many rows locked for a moment. */
const BATCH = 500
const REPORT_EVERY_MS = 1_000

export interface RotationOptions {
  batch?: number
  report: (line: string) => void
}

interface Row {
  team_id: string
  id: string
  /** Null where there is nothing to do. */
  api_key: Buffer | null
  github_token: Buffer | null
}

interface Replacement {
  teamId: string
  id: string
  was: Buffer
  sealed: Buffer
  fingerprint: Buffer
}

/** Answers how many are left under other keys. */
export async function rotateSecrets(
  client: Client,
  secrets: Secrets,
  { batch = BATCH, report }: RotationOptions,
): Promise<number> {
  // One at a time: two would only undo each other's haste. It ends with the connection, also by a kill.
  await client.query(`SELECT pg_advisory_lock(hashtext('console secret rotation'))`)
  const total = await countLeft(client, secrets)
  const progress = createProgress(total, report)
  const unopened = new Set<string>()

  let position = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']
  for (;;) {
    const { rows } = await client.query<Row>({
      name: 'page',
      text: PAGE,
      values: [...position, batch, secrets.prefix],
    })
    const last = rows.at(-1)
    if (!last) break
    position = [last.team_id, last.id]
    for (const field of FIELDS) {
      const replacements = rows.flatMap((row) => sealAnew(secrets, field, row, unopened) ?? [])
      if (replacements.length > 0) progress.add(await replace(client, field, replacements))
    }
  }
  for (const fault of unopened) report(fault)
  const left = await countLeft(client, secrets)
  progress.end(left)
  return left
}

/** Every agent in the order of the key, but bytes only of what is to be sealed anew: a page costs the same
 * however much of it is done. */
const PAGE = `
SELECT team_id, id, ${FIELDS.map(
  (field) =>
    `CASE WHEN substring(${field}_sealed FROM 1 FOR octet_length($4::bytea)) <> $4 THEN ${field}_sealed END AS ${field}`,
).join(', ')}
FROM agents
WHERE (team_id, id) > ($1, $2)
ORDER BY team_id, id
LIMIT $3`

async function countLeft(client: Client, secrets: Secrets): Promise<number> {
  const counts = FIELDS.map(
    (field) => `count(*) FILTER (WHERE substring(${field}_sealed FROM 1 FOR octet_length($1::bytea)) <> $1)`,
  )
  const { rows } = await client.query<{ left: string }>(`SELECT ${counts.join(' + ')} AS left FROM agents`, [
    secrets.prefix,
  ])
  return Number(rows[0]?.left)
}

function sealAnew(
  secrets: Secrets,
  field: (typeof FIELDS)[number],
  { team_id: teamId, id, ...sealed }: Row,
  unopened: Set<string>,
): Replacement | undefined {
  const was = sealed[field]
  if (was === null) return undefined
  const place = { teamId, agentId: id, field }
  try {
    const secret = secrets.open(place, was)
    const [fingerprint] = secrets.fingerprints(place, secret) as [Buffer]
    return { teamId, id, was, sealed: secrets.seal(place, secret), fingerprint }
  } catch (error) {
    // The others must not wait for one that nobody can open.
    unopened.add(`${field} of agent ${id} of team ${teamId} was left as it is: ${(error as Error).message}`)
    return undefined
  }
}

/** Only where the sealed bytes are still those that were opened: a writer who was faster has sealed a newer secret.
 * No revision: the agent is what it was. */
async function replace(
  client: Client,
  field: (typeof FIELDS)[number],
  replacements: Replacement[],
): Promise<number> {
  const column = <Name extends keyof Replacement>(name: Name) => replacements.map((each) => each[name])
  const { rowCount } = await client.query({
    name: `replace-${field}`,
    text: `
UPDATE agents a SET ${field}_sealed = r.sealed, ${field}_fingerprint = r.fingerprint
FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bytea[])
  AS r (team_id, id, was, sealed, fingerprint)
WHERE a.team_id = r.team_id AND a.id = r.id AND a.${field}_sealed = r.was`,
    values: [column('teamId'), column('id'), column('was'), column('sealed'), column('fingerprint')],
  })
  return rowCount ?? 0
}

function createProgress(total: number, report: (line: string) => void) {
  const startedAt = Date.now()
  let done = 0
  let reportedAt = 0
  const tell = (left = total - done) => {
    const percent = total === 0 ? 100 : Math.max(0, (100 * (total - left)) / total)
    const rate = Math.round((1_000 * done) / Math.max(1, Date.now() - startedAt))
    report(`${done} of ${total} secrets sealed anew (${percent.toFixed(1)} %), ${rate} a second`)
    reportedAt = Date.now()
  }
  tell()
  return {
    add(count: number) {
      const isFirst = done === 0
      done += count
      if (isFirst || Date.now() - reportedAt >= REPORT_EVERY_MS) tell()
    },
    /** What is left is counted by then: a writer who was faster has done some of the work. */
    end: (left: number) => tell(left),
  }
}

if (import.meta.main) {
  const { DATABASE_URL: url, SECRETS_KEYS: keys, ROTATE_BATCH: given = '' } = process.env
  if (!url || !keys) {
    process.stderr.write(
      'DATABASE_URL and SECRETS_KEYS are needed: the database, and the ring whose first key is to seal\n',
    )
    process.exit(1)
  }
  const { batch, ring } = orExit(() => ({
    batch: readOption('ROTATE_BATCH', () => (given === '' ? BATCH : parseInteger(given, 1, 10_000))),
    ring: readOption('SECRETS_KEYS', () => parseKeyring(keys)),
  }))
  const client = new Client({ connectionString: url, application_name: 'agent-console rotation' })
  await client.connect()
  const left = await rotateSecrets(client, createSecrets(ring), {
    batch,
    report: (line) => process.stdout.write(`${line}\n`),
  })
  await client.end()
  process.stdout.write(`${left} left under other keys\n`)
  process.exitCode = left === 0 ? 0 : 1
}
