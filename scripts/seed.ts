import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { explainDatabaseError, orExit, readDatabaseUrl } from './options.ts'
import { INSERT_EVALUATIONS } from './seed/evaluations.ts'
import {
  AGENT_COLUMNS,
  countRevisions,
  describeFleet,
  type FleetOptions,
  generateAgents,
  generateRevisions,
  REVISION_COLUMNS,
} from './seed/fleet.ts'
import { HELP, readSeedOptions } from './seed/options.ts'

/** Is called often with a line that replaces the one before, and with `isLast` for the last of a step. */
type Report = (line: string, isLast: boolean) => void

/** Fills an empty database with agents, by COPY. Drops the secondary indexes and builds them again at the end: that takes
 * minutes, maintaining them for each row takes hours. So does a trigger for each row: the rows of agent_filters follow together.
 * One transaction: an interrupted run leaves the database empty, with its indexes. */
export async function seed(databaseUrl: string, options: FleetOptions, report: Report): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query('SELECT FROM agents LIMIT 1')
    if (rows.length > 0) throw new Error('The database already has agents. Seed an empty database.')
    await client.query("SET maintenance_work_mem = '1GB'; BEGIN")
    const indexes = await dropIndexes(client)
    await client.query('ALTER TABLE agents DISABLE TRIGGER USER')
    const inBatches = (what: string, lines: Iterable<string>, total: number) =>
      batches(what, lines, total, report)
    await copy(client, 'agents', AGENT_COLUMNS, inBatches('agent', generateAgents(options), options.agents))
    await copy(
      client,
      'agent_revisions',
      REVISION_COLUMNS,
      inBatches('revision', generateRevisions(options), countRevisions(options)),
    )
    report('filters', false)
    await client.query(
      'INSERT INTO agent_filters SELECT filters.* FROM agents, filter_row(agents) AS filters',
    )
    await client.query('ALTER TABLE agents ENABLE TRIGGER USER')
    report('filters  written', true)
    report('scores', false)
    await client.query(INSERT_EVALUATIONS)
    report('scores   written', true)
    for (const [index, { name, definition }] of indexes.entries()) {
      report(`index    ${index + 1} of ${indexes.length}, ${name}`, false)
      await client.query(definition)
    }
    await client.query('COMMIT')
    report(`indexes  ${indexes.length} built`, true)
    report('statistics', false)
    await client.query('VACUUM (ANALYZE) agents')
    await client.query('VACUUM (ANALYZE) agent_filters')
    await client.query('VACUUM (ANALYZE) agent_revisions')
    await client.query('VACUUM (ANALYZE) agent_evaluations')
    report('statistics gathered', true)
  } finally {
    await client.end()
  }
}

async function dropIndexes(client: Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index WHERE indrelid IN ('agents'::regclass, 'agent_filters'::regclass) AND NOT indisprimary`)
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  // An index of a partitioned table is described without those of its partitions.
  return rows.map(({ name, definition }) => ({ name, definition: definition.replace(' ON ONLY ', ' ON ') }))
}

async function copy(client: Client, table: string, columns: string, source: Iterable<string>): Promise<void> {
  const sink = client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`))
  await pipeline(Readable.from(source, { objectMode: true, highWaterMark: 4 }), sink)
  if (!sink.writableFinished) await once(sink, 'finish')
}

const LINES_PER_BATCH = 2_000
const REPORT_INTERVAL_MS = 200

function* batches(what: string, lines: Iterable<string>, total: number, report: Report): Generator<string> {
  const startedAt = performance.now()
  let reportedAt = startedAt
  let batch = ''
  let count = 0
  for (const line of lines) {
    batch += line
    if (++count % LINES_PER_BATCH === 0) {
      yield batch
      batch = ''
      if (performance.now() - reportedAt > REPORT_INTERVAL_MS) {
        reportedAt = performance.now()
        report(progress(what, count, total, startedAt), false)
      }
    }
  }
  if (batch !== '') yield batch
  report(progress(what, count, total, startedAt), true)
}

function progress(what: string, count: number, total: number, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1_000
  const rate = count / seconds
  const done = count / total
  const bar = '█'.repeat(Math.round(done * 20)).padEnd(20, '░')
  const left = count === total ? '' : `, ${Math.round((total - count) / rate)} s left`
  return `${what.padEnd(8)} ${bar} ${(done * 100).toFixed(0).padStart(3)} %  ${count} rows, ${Math.round(rate)}/s${left}`
}

/** In a terminal a line replaces the one before; elsewhere the last of each step is enough. */
const toTerminal: Report = (line, isLast) => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${isLast ? '\n' : ''}`)
  else if (isLast) process.stdout.write(`${line}\n`)
}

function whatNext(options: FleetOptions, seconds: number): string {
  const { teams, largestTeam, agentsOfLargest } = describeFleet(options)
  const { PORT: port = '8080', ISSUER_PORT: issuerPort = '8081' } = process.env
  return `Done in ${seconds.toFixed(1)} s: ${options.agents} agents in ${teams} teams. The largest team has ${agentsOfLargest}:
  export TEAM=${largestTeam}
To read them, run npm run dev with the same DATABASE_URL, and ask its issuer for a token of that team:
  export TOKEN=$(curl -sS -u $TEAM.$TEAM:development http://127.0.0.1:${issuerPort}/token \\
    -d grant_type=client_credentials -d scope=agent:read | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -sS --oauth2-bearer $TOKEN 'http://127.0.0.1:${port}/v1/agent-configurations?limit=1'
`
}

if (import.meta.main) {
  const options = orExit(readSeedOptions)
  if (options === 'help') {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const databaseUrl = readDatabaseUrl()
  const startedAt = performance.now()
  try {
    await seed(databaseUrl, options, toTerminal)
    process.stdout.write(whatNext(options, (performance.now() - startedAt) / 1_000))
  } catch (error) {
    process.stderr.write(`${process.stdout.isTTY ? '\n' : ''}${explainDatabaseError(error as Error)}\n`)
    process.exitCode = 1
  }
}
