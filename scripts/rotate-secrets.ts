import { Client } from 'pg'
import { parseInteger, parseKeyring } from '../src/config.ts'
import { createSecrets, type Secrets } from '../src/platform/secrets.ts'
import { explainDatabaseError, helpOrGoOn, orExit, readOption } from './options.ts'

/** Seals with the first key of the keyring every secret that another key sealed. It can run while the console runs, and
 * can be killed and started again: the sealed bytes show which key sealed them. */

const FIELDS = ['api_key', 'github_token'] as const

/** A deleted agent can be recovered, with its secrets. An agent that moves from the second table to the first during the
 * rotation is missed; the count at the end then includes it. */
const TABLES = ['agents', 'deleted_agents'] as const
type Table = (typeof TABLES)[number]

/** Agents that are read, and briefly locked, at a time. */
const BATCH_SIZE = 500
const REPORT_EVERY_MS = 1_000

export interface RotationOptions {
  batch?: number
  report: (line: string) => void
}

interface Row {
  team_id: string
  id: string
  /** Null if the agent has no such secret or the first key sealed it; the same holds for `github_token`. */
  api_key: Buffer | null
  github_token: Buffer | null
}

interface Replacement {
  teamId: string
  id: string
  oldSealed: Buffer
  sealed: Buffer
  fingerprint: Buffer
}

/** Returns how many secrets are still sealed with other keys. */
export async function rotateSecrets(
  client: Client,
  secrets: Secrets,
  { batch = BATCH_SIZE, report }: RotationOptions,
): Promise<number> {
  // Only one rotation at a time. The lock ends with the connection.
  await client.query(`SELECT pg_advisory_lock(hashtext('console secret rotation'))`)
  const total = await countLeft(client, secrets)
  const progress = createProgress(total, report)
  const unopened = new Set<string>()

  for (const table of TABLES) {
    for await (const rows of pages(client, table, batch, secrets)) {
      for (const field of FIELDS) {
        const replacements = rows.flatMap((row) => reseal(secrets, field, row, unopened) ?? [])
        if (replacements.length > 0) progress.add(await replace(client, table, field, replacements))
      }
    }
  }
  for (const message of unopened) report(message)
  const left = await countLeft(client, secrets)
  progress.end(left)
  return left
}

async function* pages(client: Client, table: Table, batch: number, secrets: Secrets): AsyncGenerator<Row[]> {
  let position = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']
  for (;;) {
    const { rows } = await client.query<Row>({
      name: `page-of-${table}`,
      text: pageSql(table),
      values: [...position, batch, secrets.prefix],
    })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    position = [last.team_id, last.id]
  }
}

/** Every agent in the order of the primary key, with the bytes of only those secrets that must be sealed again. */
const pageSql = (table: Table) => `
SELECT team_id, id, ${FIELDS.map(
  (field) =>
    `CASE WHEN substring(${field}_sealed FROM 1 FOR octet_length($4::bytea)) <> $4 THEN ${field}_sealed END AS ${field}`,
).join(', ')}
FROM ${table}
WHERE (team_id, id) > ($1, $2)
ORDER BY team_id, id
LIMIT $3`

async function countLeft(client: Client, secrets: Secrets): Promise<number> {
  const counts = FIELDS.map(
    (field) => `count(*) FILTER (WHERE substring(${field}_sealed FROM 1 FOR octet_length($1::bytea)) <> $1)`,
  )
  const { rows } = await client.query<{ left: string }>(
    TABLES.map((table) => `SELECT ${counts.join(' + ')} AS left FROM ${table}`).join(' UNION ALL '),
    [secrets.prefix],
  )
  return rows.reduce((sum, { left }) => sum + Number(left), 0)
}

function reseal(
  secrets: Secrets,
  field: (typeof FIELDS)[number],
  { team_id: teamId, id, ...sealed }: Row,
  unopened: Set<string>,
): Replacement | undefined {
  const oldSealed = sealed[field]
  if (oldSealed === null) return undefined
  const place = { teamId, agentId: id, field }
  try {
    const secret = secrets.open(place, oldSealed)
    const [fingerprint] = secrets.fingerprints(place, secret) as [Buffer]
    return { teamId, id, oldSealed, sealed: secrets.seal(place, secret), fingerprint }
  } catch (error) {
    // One secret that cannot be opened must not stop the rotation.
    unopened.add(`cannot open ${field} of agent ${id} of team ${teamId}: ${(error as Error).message}`)
    return undefined
  }
}

/** Replaces only the sealed bytes that were opened: the console may have stored a newer secret since. Makes no revision,
 * because the agent does not change. */
async function replace(
  client: Client,
  table: Table,
  field: (typeof FIELDS)[number],
  replacements: Replacement[],
): Promise<number> {
  const column = <Name extends keyof Replacement>(name: Name) => replacements.map((each) => each[name])
  const { rowCount } = await client.query({
    name: `replace-${field}-of-${table}`,
    text: `
UPDATE ${table} a SET ${field}_sealed = r.sealed, ${field}_fingerprint = r.fingerprint
FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bytea[])
  AS r (team_id, id, old_sealed, sealed, fingerprint)
WHERE a.team_id = r.team_id AND a.id = r.id AND a.${field}_sealed = r.old_sealed`,
    values: [column('teamId'), column('id'), column('oldSealed'), column('sealed'), column('fingerprint')],
  })
  return rowCount ?? 0
}

function createProgress(total: number, report: (line: string) => void) {
  const startedAt = Date.now()
  let done = 0
  let reportedAt = 0
  const reportNow = (left = total - done) => {
    const percent = total === 0 ? 100 : Math.max(0, (100 * (total - left)) / total)
    const rate = Math.round((1_000 * done) / Math.max(1, Date.now() - startedAt))
    report(`${done} of ${total} secrets sealed with the first key (${percent.toFixed(1)} %), ${rate}/s`)
    reportedAt = Date.now()
  }
  reportNow()
  return {
    add(count: number) {
      const isFirst = done === 0
      done += count
      if (isFirst || Date.now() - reportedAt >= REPORT_EVERY_MS) reportNow()
    },
    /** `left` is counted again at the end, because writes of the console seal some secrets too. */
    end: (left: number) => reportNow(left),
  }
}

const HELP = `DATABASE_URL=postgres://… SECRETS_KEYS=new:…,old:… npm run secrets:rotate

Seals every secret with the first key of SECRETS_KEYS, while the console runs. Run it again
if it was interrupted. ROTATE_BATCH (500) is the number of agents that it reads and
briefly locks at a time.
`

if (import.meta.main) {
  helpOrGoOn(HELP)
  const { DATABASE_URL: url, SECRETS_KEYS: keys, ROTATE_BATCH: given = '' } = process.env
  if (!url || !keys) {
    process.stderr.write(
      'DATABASE_URL or SECRETS_KEYS is missing. The first key of SECRETS_KEYS seals every secret again.\n',
    )
    process.exit(1)
  }
  const { batch, ring } = orExit(() => ({
    batch: readOption('ROTATE_BATCH', () => (given === '' ? BATCH_SIZE : parseInteger(given, 1, 10_000))),
    ring: readOption('SECRETS_KEYS', () => parseKeyring(keys)),
  }))
  const client = new Client({ connectionString: url, application_name: 'agent-console rotation' })
  await client.connect().catch((error: Error) => {
    process.stderr.write(`${explainDatabaseError(error)}\n`)
    process.exit(1)
  })
  const left = await rotateSecrets(client, createSecrets(ring), {
    batch,
    report: (line) => process.stdout.write(`${line}\n`),
  })
  await client.end()
  process.stdout.write(`${left} secrets are still sealed with other keys\n`)
  process.exitCode = left === 0 ? 0 : 1
}
