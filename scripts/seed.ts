import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { parseInteger } from '../src/config.ts'
import { orExit, readOption } from './options.ts'
import {
  AGENT_COLUMNS,
  type FleetOptions,
  generateAgents,
  generateRevisions,
  REVISION_COLUMNS,
} from './seed/fleet.ts'

/** Fills an empty database with agents, by COPY. Drops the secondary indexes and builds them again at the end: that takes
 * minutes, maintaining them for each row takes hours. One transaction: an interrupted run leaves the database
 * empty, with its indexes. */
export async function seed(
  databaseUrl: string,
  options: FleetOptions,
  report: (line: string) => void,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query('SELECT FROM agents LIMIT 1')
    if (rows.length > 0) throw new Error('The database already has agents. Seed an empty database.')
    await client.query("SET maintenance_work_mem = '1GB'; BEGIN")
    const indexes = await dropIndexes(client)
    const inBatches = (what: string, lines: Iterable<string>) => batches(what, lines, options.agents, report)
    await copy(client, 'agents', AGENT_COLUMNS, inBatches('agent', generateAgents(options)))
    await copy(client, 'agent_revisions', REVISION_COLUMNS, inBatches('revision', generateRevisions(options)))
    for (const { name, definition } of indexes) {
      report(`building index ${name}`)
      await client.query(definition)
    }
    await client.query('COMMIT')
    report('gathering statistics')
    await client.query('VACUUM (ANALYZE) agents')
    await client.query('VACUUM (ANALYZE) agent_revisions')
  } finally {
    await client.end()
  }
}

async function dropIndexes(client: Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index WHERE indrelid = 'agents'::regclass AND NOT indisprimary`)
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows
}

async function copy(client: Client, table: string, columns: string, source: Iterable<string>): Promise<void> {
  const sink = client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`))
  await pipeline(Readable.from(source, { objectMode: true, highWaterMark: 4 }), sink)
  if (!sink.writableFinished) await once(sink, 'finish')
}

const LINES_PER_BATCH = 2_000

function* batches(
  what: string,
  lines: Iterable<string>,
  total: number,
  report: (line: string) => void,
): Generator<string> {
  const startedAt = performance.now()
  let batch = ''
  let count = 0
  for (const line of lines) {
    batch += line
    if (++count % LINES_PER_BATCH === 0) {
      yield batch
      batch = ''
      if (count % 200_000 === 0) report(progress(what, count, total, startedAt))
    }
  }
  if (batch !== '') yield batch
  report(progress(what, count, total, startedAt))
}

function progress(what: string, count: number, total: number, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1_000
  const rate = count / seconds
  const done = count / total
  const bar = '█'.repeat(Math.round(done * 20)).padEnd(20, '░')
  const left = Math.round((total - count) / rate)
  return `${what.padEnd(8)} ${bar} ${(done * 100).toFixed(0).padStart(3)} %  ${count} rows, ${Math.round(rate)}/s, ${left} s left`
}

function readOptions(): FleetOptions {
  const { values } = parseArgs({
    options: { agents: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  })
  return {
    agents: readOption('--agents', () => parseInteger(values.agents, 1, 100_000_000)),
    seed: readOption('--seed', () => parseInteger(values.seed, 0, 4_294_967_295)),
  }
}

if (import.meta.main) {
  const options = orExit(readOptions)
  const databaseUrl = process.env['DATABASE_URL']
  if (!databaseUrl) {
    process.stderr.write('DATABASE_URL is missing: postgres://user:password@host:5432/database\n')
    process.exit(1)
  }
  await seed(databaseUrl, options, (line) =>
    process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}` : `${line}\n`),
  )
  process.stdout.write('\n')
}
