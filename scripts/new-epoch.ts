import { Client } from 'pg'
import { readRelayConfig } from '../src/config/config.ts'
import { beginEpoch } from '../src/features/events/new-epoch.ts'
import { EventStream } from '../src/platform/nats/stream.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { orExit } from './options.ts'

/** Continues the delivery of events after the database was restored from a backup. See docs/backup.md. */

const CONNECT_TIMEOUT_MS = 20_000

const { databaseUrl, events: settings } = orExit(() => readRelayConfig(process.env))
const stream = new EventStream(settings, createLog('error'))
const client = new Client({ connectionString: databaseUrl, application_name: 'agent-console new epoch' })
try {
  await client.connect()
  await untilConnected()
  await beginEpoch(client, stream, (line) => process.stdout.write(`${line}\n`))
} catch (error) {
  process.stderr.write(`No epoch was begun: ${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await Promise.all([client.end(), stream.close()])
}

async function untilConnected(): Promise<void> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS
  while (!stream.isUp()) {
    if (performance.now() > deadline) throw new Error('NATS does not respond at NATS_URL')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
