import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** A plain client of the cluster, without the console: the longest time between its writes is the cluster's own. */
export interface BareProber {
  /** When its writes were acknowledged, by `performance.now()`. */
  moments: number[]
  stop: () => Promise<void>
}

const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 50
const CONNECT_TIMEOUT_MS = 2_000

export async function startBareProber(connectionString: string): Promise<BareProber> {
  const moments: number[] = []
  let isStopping = false
  let client: Client | undefined = await open(connectionString)
  await client.query('CREATE TABLE probe (n bigint NOT NULL)')
  await client.query('INSERT INTO probe VALUES (0)')
  const write = async () => {
    try {
      client ??= await open(connectionString)
      await client.query('UPDATE probe SET n = n + 1')
      moments.push(performance.now())
      await sleep(PAUSE_MS)
    } catch {
      const lost = client
      client = undefined
      lost?.end().catch(() => {})
      await sleep(PAUSE_AFTER_FAILURE_MS)
    }
  }
  const run = async () => {
    while (!isStopping) await write()
  }
  const running = run()
  return {
    moments,
    stop: async () => {
      isStopping = true
      await running
      client ??= await open(connectionString)
      const { rows } = await client.query<{ n: string }>('SELECT n FROM probe')
      await client.end()
      const n = Number(rows[0]?.n)
      assert.ok(n >= moments.length, `the cluster itself lost ${moments.length - n} acknowledged writes`)
    },
  }
}

async function open(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  await client.connect()
  return client
}
