import { Client } from 'pg'
import { namedField } from '../src/agent/secrets/schema.ts'
import { parseInteger } from '../src/config/reader.ts'
import { parseKeyring, Secrets } from '../src/platform/crypto/secrets.ts'
import { fragment, join, type Param, param, raw, unnamed } from '../src/platform/postgres/sql.ts'
import { explainDatabaseError, helpOrGoOn, orExit, readOption, readSetting } from './options.ts'

/** Seals with the first key of the keyring every secret that another key sealed, or that has the old format without padding.
 * It can run while the console runs, and can be killed and started again: the sealed bytes show key and format. */

interface Table {
  name: string
  key: { column: string; type: 'uuid' | 'text'; start: string }[]
  /** Each secret has the columns `<prefix>sealed` and `<prefix>fingerprint`. */
  prefixes: string[]
}

const NIL = '00000000-0000-0000-0000-000000000000'
const uuid = (column: string) => ({ column, type: 'uuid' as const, start: NIL })
const AGENT = { key: [uuid('team_id'), uuid('id')], prefixes: ['api_key_', 'github_token_'] }

/** A deleted agent can be recovered, with its secrets. An agent that moves from the second table to the first during the
 * rotation is missed; the count at the end then includes it. */
const TABLES: Table[] = [
  { name: 'agents', ...AGENT },
  { name: 'deleted_agents', ...AGENT },
  {
    name: 'agent_secrets',
    key: [uuid('team_id'), uuid('agent_id'), { column: 'name', type: 'text', start: '' }],
    prefixes: [''],
  },
]

/** Rows that are read, and briefly locked, at a time. */
const BATCH_SIZE = 500
const REPORT_EVERY_MS = 1_000

export interface RotationOptions {
  batch?: number
  report: (line: string) => void
}

interface Row {
  key: string[]
  /** For each prefix of the table. Null if there is no such secret, or it needs no new seal. */
  sealed: (Buffer | null)[]
}

interface Replacement {
  key: string[]
  oldSealed: Buffer
  sealed: Buffer
  fingerprint: Buffer
}

/** Returns how many secrets still have an old seal. */
export async function rotateSecrets(
  client: Client,
  secrets: Secrets,
  { batch = BATCH_SIZE, report }: RotationOptions,
): Promise<number> {
  const total = await countLeft(client, secrets)
  const progress = createProgress(total, report)
  const unopened = new Set<string>()

  for (const table of TABLES) {
    for await (const rows of pages(client, table, batch, secrets)) {
      for (const [index, prefix] of table.prefixes.entries()) {
        const replacements = rows.flatMap(
          ({ key, sealed }) => reseal(secrets, prefix, key, sealed[index] ?? null, unopened) ?? [],
        )
        if (replacements.length > 0) progress.add(await replace(client, table, prefix, replacements))
      }
    }
  }
  for (const message of unopened) report(message)
  const left = await countLeft(client, secrets)
  progress.end(left)
  return left
}

async function* pages(client: Client, table: Table, batch: number, secrets: Secrets): AsyncGenerator<Row[]> {
  let position = table.key.map(({ start }) => start)
  for (;;) {
    const { rows } = await client.query<Row>(readPage(table, position, batch, secrets))
    const last = rows.at(-1)
    if (!last) return
    yield rows
    position = last.key
  }
}

const hasOldSeal = (prefix: string, current: Param) =>
  fragment`substring(${raw(prefix)}sealed FROM 1 FOR octet_length(${current}::bytea)) <> ${current}`

/** Rows in the order of the primary key, with the bytes of only those secrets that must be sealed again. */
function readPage({ name, key, prefixes }: Table, position: string[], batch: number, secrets: Secrets) {
  const current = param(secrets.prefix)
  const columns = key.map(({ column }) => raw(column))
  const texts = columns.map((column) => fragment`${column}::text`)
  const start = key.map(({ type }, index) => fragment`${position[index]}::${raw(type)}`)
  const sealed = prefixes.map(
    (prefix) => fragment`CASE WHEN ${hasOldSeal(prefix, current)} THEN ${raw(prefix)}sealed END`,
  )
  return unnamed`
    SELECT ARRAY[${join(texts, ', ')}] AS key, ARRAY[${join(sealed, ', ')}] AS sealed
    FROM ${raw(name)}
    WHERE (${join(columns, ', ')}) > (${join(start, ', ')})
    ORDER BY ${join(columns, ', ')}
    LIMIT ${batch}`
}

async function countLeft(client: Client, secrets: Secrets): Promise<number> {
  const current = param(secrets.prefix)
  const counts = TABLES.map(({ name, prefixes }) => {
    const each = prefixes.map((prefix) => fragment`count(*) FILTER (WHERE ${hasOldSeal(prefix, current)})`)
    return fragment`SELECT ${join(each, ' + ')} AS left FROM ${raw(name)}`
  })
  // It reads all rows: the role that serves has a short limit.
  await client.query('BEGIN; SET LOCAL statement_timeout = 0')
  const { rows } = await client.query<{ left: string }>(unnamed`${join(counts, ' UNION ALL ')}`)
  await client.query('COMMIT')
  return rows.reduce((sum, { left }) => sum + Number(left), 0)
}

function reseal(
  secrets: Secrets,
  prefix: string,
  key: string[],
  oldSealed: Buffer | null,
  unopened: Set<string>,
): Replacement | undefined {
  if (oldSealed === null) return undefined
  const [teamId = '', agentId = '', name = ''] = key
  const field = prefix === '' ? namedField(name) : prefix.slice(0, -1)
  const place = { teamId, agentId, field }
  try {
    const secret = secrets.open(place, oldSealed)
    const [fingerprint] = secrets.fingerprints(place, secret) as [Buffer]
    return { key, oldSealed, sealed: secrets.seal(place, secret), fingerprint }
  } catch (error) {
    // One secret that cannot be opened must not stop the rotation.
    unopened.add(`cannot open ${field} of agent ${agentId} of team ${teamId}: ${(error as Error).message}`)
    return undefined
  }
}

/** Replaces only the sealed bytes that were opened: the console may have stored a newer secret since. Makes no revision,
 * because the agent does not change. */
async function replace(
  client: Client,
  { name, key }: Table,
  prefix: string,
  replacements: Replacement[],
): Promise<number> {
  const values = key.map(({ type }, index) => {
    const ofColumn = replacements.map((each) => each.key[index])
    return fragment`${ofColumn}::${raw(type)}[]`
  })
  const names = key.map(({ column }) => raw(column))
  const same = names.map((column) => fragment`a.${column} = r.${column}`)
  // Two rotations that lock the same rows in another order would stop each other.
  await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('console secret rotation'))")
  const { rowCount } = await client.query(unnamed`
    UPDATE ${raw(name)} a SET ${raw(prefix)}sealed = r.new_sealed, ${raw(prefix)}fingerprint = r.new_fingerprint
    FROM unnest(
      ${join(values, ', ')},
      ${replacements.map(({ oldSealed }) => oldSealed)}::bytea[],
      ${replacements.map(({ sealed }) => sealed)}::bytea[],
      ${replacements.map(({ fingerprint }) => fingerprint)}::bytea[]
    ) AS r (${join(names, ', ')}, old_sealed, new_sealed, new_fingerprint)
    WHERE ${join(same, ' AND ')} AND a.${raw(prefix)}sealed = r.old_sealed`)
  await client.query('COMMIT')
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

Seals every secret with the first key of SECRETS_KEYS and in the newest format, while the
console runs. Run it again if it was interrupted. ROTATE_BATCH (500) is the number of rows
that it reads and briefly locks at a time.
`

if (import.meta.main) {
  helpOrGoOn(HELP)
  const [url = '', keys = '', given = ''] = ['DATABASE_URL', 'SECRETS_KEYS', 'ROTATE_BATCH'].map(readSetting)
  if (url === '' || keys === '') {
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
  const left = await rotateSecrets(client, new Secrets(ring), {
    batch,
    report: (line) => process.stdout.write(`${line}\n`),
  })
  await client.end()
  process.stdout.write(`${left} secrets still have an old seal\n`)
  process.exitCode = left === 0 ? 0 : 1
}
