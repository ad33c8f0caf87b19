import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { fillOutbox } from '../dev/backlog.ts'
import { startPrivateNats } from '../dev/private-nats.ts'
import { contest } from './contest.ts'
import { createBenchDatabase } from './database.ts'

const AGENTS = 2_500
const REVISIONS = 20
const EVENTS = AGENTS * REVISIONS

const FLOOR = 5_000
const AIM = 0.5

const RELAY = 'relay'
const LOOP = 'bare publish loop'
const ROOT = join(import.meta.dirname, '..')

interface Bench {
  client: Client
  manager: JetStreamManager
  /** What both contenders are told. */
  environment: Record<string, string>
}

/** A backlog moved by the relay, against a loop that does nothing but publish the same messages. */
export async function benchRelay(options: { rounds: number; seconds: number }): Promise<void> {
  const database = await createBenchDatabase()
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
    const results = await contest(
      [
        { name: RELAY, run: () => perSecond(bench, 'src/relay-main.ts', isOutboxEmpty) },
        { name: LOOP, run: () => perSecond(bench, 'bench/publish.ts', isStreamFull) },
      ],
      options,
    )
    const [own = 0, bare = 0] = [RELAY, LOOP].map((name) => results.get(name))
    process.stdout.write(
      `\nrelay, medians: ${own.toFixed(0)} events/s (at least ${FLOOR}), bare publish loop ${bare.toFixed(0)}/s\n` +
        `  ${(own / bare).toFixed(2)} of the loop (aim ${AIM})\n`,
    )
    if (own < FLOOR) process.exitCode = 1
  } finally {
    await client.end()
    await connection.close()
    await nats.remove()
    await database.drop()
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

/** Events a second, from the first in the stream until the work is done. */
async function perSecond(
  bench: Bench,
  script: string,
  isDone: (bench: Bench, stream: string) => Promise<boolean>,
): Promise<number> {
  const { client, manager, environment } = bench
  await client.query('TRUNCATE outbox')
  await fillOutbox(environment['DATABASE_URL'] as string, {
    teamIds: [randomUUID()],
    agentsPerTeam: AGENTS,
    revisions: REVISIONS,
  })
  await client.query('VACUUM ANALYZE outbox')
  const name = `BENCH_${randomUUID().replaceAll('-', '')}`
  const prefix = name.toLowerCase()
  await manager.streams.add({ name, subjects: [`${prefix}.*.*`] })
  const child = start(script, { ...environment, NATS_STREAM: name, NATS_SUBJECT_PREFIX: prefix })
  try {
    while (!(await isDone(bench, name))) {
      if (child.exitCode) throw new Error(`${script} has failed`)
      await sleep(20)
    }
    const seconds = (Date.now() - Date.parse((await manager.streams.info(name)).state.first_ts)) / 1_000
    return EVENTS / seconds
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
