import type { Client } from 'pg'
import { identifyServer } from '../../src/platform/postgres/pooler.ts'
import { createClient } from './database.ts'
import { type Context, ok, problem, type Result } from './finding.ts'

/** A pooler must keep the time limit of statements, and the relay must not go through one. */
export async function checkPooler(client: Client, { config }: Context): Promise<Result[]> {
  const relayUrl = config.events?.relayDatabaseUrl
  const hasPooler = (connected: Client) => isPooler(connected, config.pool.connectTimeoutMs)
  const isPooled = await hasPooler(client)
  const results = isPooled ? [await checkTimeout(client)] : [ok('PostgreSQL is reached without a pooler')]
  if (relayUrl === undefined) return results
  const isRelayPooled = relayUrl === config.databaseUrl ? isPooled : await withClient(relayUrl, hasPooler)
  if (!isRelayPooled) return results
  return [
    ...results,
    problem(
      'The relay reaches PostgreSQL through a pooler, which loses notifications: it polls 40 times a second.',
      'Set RELAY_DATABASE_URL to a direct connection.',
    ),
  ]
}

async function checkTimeout(client: Client): Promise<Result> {
  const { rows } = await client.query<{ timeout: string }>(
    `SELECT current_setting('statement_timeout') AS timeout`,
  )
  return rows[0]?.timeout === '0'
    ? problem(
        'The pooler drops statement_timeout: a slow statement holds its place for ever.',
        "ALTER ROLE … SET statement_timeout = '5s' (docs/operating.md, PgBouncer).",
      )
    : ok('the pooler keeps the time limit of statements')
}

/** A pooler makes up its own process number. */
async function isPooler(client: Client, timeoutMs: number): Promise<boolean> {
  const server = await identifyServer(client, timeoutMs)
  const { processID } = client as unknown as { processID?: number | null }
  return server !== undefined && processID !== server.processId
}

async function withClient<Value>(url: string, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = createClient(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
