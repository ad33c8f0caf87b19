import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** A plain client of the cluster, without the console: the longest time between its writes is the cluster's own. */
export interface BareProber {
  /** When its writes were acknowledged, by `performance.now()`. */
  moments: number[]
  /** How many acknowledged writes the cluster itself had lost when the prober last connected again. */
  lost: () => number
  stop: () => Promise<void>
}

const PAUSE_MS = 20
const PAUSE_AFTER_FAILURE_MS = 50
const CONNECT_TIMEOUT_MS = 2_000
/** Without a synchronous standby, a write waits as long as its connection lives. */
const QUERY_TIMEOUT_MS = 60_000

export async function startBareProber(connectionString: string): Promise<BareProber> {
  const moments: number[] = []
  let isStopping = false
  let lost = 0
  let client: Client | undefined = await open(connectionString)
  await client.query('CREATE TABLE probe (n bigint NOT NULL)')
  await client.query('INSERT INTO probe VALUES (0)')
  const countLost = async (opened: Client) => {
    const { rows } = await opened.query<{ n: string }>('SELECT n FROM probe')
    // More than were acknowledged, if some were written without a response.
    lost = Math.max(0, moments.length - Number(rows[0]?.n))
  }
  const write = async () => {
    try {
      if (client === undefined) {
        client = await open(connectionString)
        await countLost(client)
      }
      await client.query('UPDATE probe SET n = n + 1')
      moments.push(performance.now())
      await sleep(PAUSE_MS)
    } catch {
      const broken = client
      client = undefined
      broken?.end().catch(() => {})
      await sleep(PAUSE_AFTER_FAILURE_MS)
    }
  }
  const run = async () => {
    while (!isStopping) await write()
  }
  const running = run()
  return {
    moments,
    lost: () => lost,
    stop: async () => {
      isStopping = true
      await running
      client ??= await open(connectionString)
      await countLost(client)
      await client.end()
      assert.equal(lost, 0, `the cluster itself lost ${lost} acknowledged writes`)
    },
  }
}

async function open(connectionString: string): Promise<Client> {
  const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS }
  const client = new Client({ connectionString, ...limits })
  client.on('error', () => {})
  await client.connect()
  return client
}
