import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { cpuMicros } from '../test/support/cpu-time.ts'
import { startBenchDatabase } from '../test/support/measured-database.ts'
import { fillOutbox } from '../test/support/outbox-backlog.ts'
import { startPrivateNats } from '../test/support/private-nats.ts'
import { type BenchOptions, type Contender, contest } from './contest.ts'
import type { Load } from './wrk.ts'

const AGENTS = 2_500
const REVISIONS = 20
const EVENTS = AGENTS * REVISIONS

const RELAY = 'relay'
const LOOP = 'bare publish loop'
const ROOT = join(import.meta.dirname, '..')

interface Bench {
  client: Client
  manager: JetStreamManager
  /** Of both contenders. */
  environment: Record<string, string>
}

/** A backlog of events sent by the relay, against a loop that only publishes the same messages. */
export async function benchRelay(options: BenchOptions): Promise<void> {
  const database = await startBenchDatabase()
  const nats = await startPrivateNats()
  const connection = await connect({ servers: nats.url })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const environment = {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const bench = { client, manager: await jetstreamManager(connection), environment }
  try {
    await contest(
      'relay',
      [
        contender(bench, RELAY, 'src/relay.ts', isOutboxEmpty),
        contender(bench, LOOP, 'bench/publish.ts', isStreamFull),
      ],
      [{ of: RELAY, against: LOOP, shareAtLeast: 0.55 }],
      options,
    )
  } finally {
    await client.end()
    await connection.close()
    await nats.remove()
    await database.remove()
  }
}

const isOutboxEmpty = async ({ client }: Bench) => {
  const { rowCount } = await client.query('SELECT FROM outbox LIMIT 1')
  return rowCount === 0
}

const isStreamFull = async ({ manager }: Bench, stream: string) => {
  const { state } = await manager.streams.info(stream)
  return state.messages === EVENTS
}

/** Each round starts the process anew on a full backlog: the work decides how long it takes. */
function contender(
  bench: Bench,
  name: string,
  script: string,
  isDone: (bench: Bench, stream: string) => Promise<boolean>,
): Contender {
  return { name, measure: () => deliver(bench, script, isDone) }
}

/** Measures from the first event in the stream until the work is done: not the start of the process. */
async function deliver(
  bench: Bench,
  script: string,
  isDone: (bench: Bench, stream: string) => Promise<boolean>,
): Promise<Load & { cpuMicros: number }> {
  const { client, manager, environment } = bench
  await client.query('TRUNCATE outbox')
  await fillOutbox(environment['DATABASE_URL'] as string, {
    teamIds: [randomUUID()],
    agentsPerTeam: AGENTS,
    revisions: REVISIONS,
  })
  await client.query('VACUUM ANALYZE outbox')
  const name = `BENCH_${randomUUID().replaceAll('-', '')}`
  const prefix = name.toLowerCase().replaceAll('_', '.')
  await manager.streams.add({ name, subjects: [`${prefix}.*.*`] })
  const child = start(script, { ...environment, NATS_STREAM: name })
  const pid = child.pid as number
  const sent = async () => (await manager.streams.info(name)).state.messages
  const waitFor = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) {
      if (child.exitCode) throw new Error(`${script} has failed`)
      await sleep(5)
    }
  }
  try {
    await waitFor(async () => (await sent()) > 0)
    const [startedAt, before, sentBefore] = [Date.now(), cpuMicros(pid), await sent()]
    await waitFor(() => isDone(bench, name))
    const used = cpuMicros(pid) - before
    return { requests: EVENTS - sentBefore, seconds: (Date.now() - startedAt) / 1_000, cpuMicros: used }
  } finally {
    await stop(child)
    await manager.streams.delete(name)
  }
}

function start(script: string, environment: Record<string, string>): ChildProcess {
  const options = process.env['BENCH_NODE_OPTIONS']
  return spawn(process.execPath, [script], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      ...environment,
      ...(options ? { NODE_OPTIONS: options } : {}),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
