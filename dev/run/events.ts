import { relative } from 'node:path'
import type { JetStreamManager } from '@nats-io/jetstream'
import { freePorts } from '../free-port.ts'
import { startChild } from './child.ts'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'
import { probe } from './probe.ts'
import type { Found, State } from './state.ts'

interface FindOptions {
  /** NATS_URL. */
  named: string | undefined
  state: State
  lifetime: Lifetime
  /** Whether a NATS is started here whatever else runs on this machine. */
  isOwn: boolean
  /** The stream to delete on the NATS of this machine: its database is dropped. */
  resetStream: string | undefined
}

const CONNECT_TIMEOUT_MS = 2_000

const HOW_TO = `Install NATS, or name a server with JetStream that runs elsewhere:
  Debian, Ubuntu:  apt-get install nats-server
  macOS:           brew install nats-server
  elsewhere:       NATS_URL=nats://host:4222 npm run dev`

/** A JetStream: that of NATS_URL, else that of this machine, else one that is started here. */
export async function findNats(options: FindOptions): Promise<Found> {
  const { named, state, lifetime, isOwn, resetStream } = options
  if (named) {
    await withJetStream(named, async () => {}).catch((error: Error) => {
      throw new DevError(
        `The NATS of NATS_URL does not answer, or has no JetStream (${error.message}).\n` +
          'Correct NATS_URL, or unset it: then npm run dev finds or starts a NATS itself.',
      )
    })
    return { url: named, where: 'NATS_URL' }
  }
  // A NATS server begins each connection with its features.
  if (!isOwn && (await probe(4222)).includes('"jetstream":true')) {
    const url = 'nats://127.0.0.1:4222'
    if (resetStream) await deleteStream(url, resetStream)
    return { url, where: '127.0.0.1:4222' }
  }
  return startOwnNats(state, lifetime).catch((error: Error) => {
    if (lifetime.ending.aborted) throw error
    throw new DevError(
      `No NATS with JetStream runs on 127.0.0.1:4222, and none could be started (${error.message}).\n${HOW_TO}`,
    )
  })
}

/** A new database does not deliver to a stream that holds the events of another one. */
export async function deleteStream(url: string, name: string): Promise<void> {
  await withJetStream(url, async ({ streams }) => {
    for await (const existing of streams.names()) if (existing === name) await streams.delete(name)
  })
}

async function withJetStream(url: string, work: (manager: JetStreamManager) => Promise<void>): Promise<void> {
  const [{ connect: connectTo }, { jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ])
  const connection = await connectTo({
    servers: url.split(','),
    timeout: CONNECT_TIMEOUT_MS,
    reconnect: false,
  })
  try {
    await work(await jetstreamManager(connection))
  } finally {
    await connection.close()
  }
}

async function startOwnNats(state: State, lifetime: Lifetime): Promise<Found> {
  const folder = state.file('nats')
  const pidFile = state.file('nats.pid')
  const [port] = await freePorts(1)
  const server = startChild(
    {
      name: 'nats',
      command: 'nats-server',
      args: ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, '-P', pidFile],
      // Debian keeps it where only root's PATH looks.
      environment: { PATH: `${process.env['PATH']}:/usr/local/sbin:/usr/sbin` },
      ready: /Server is ready/,
    },
    lifetime,
    state.logs,
  )
  await server.ready
  return {
    url: `nats://127.0.0.1:${port}`,
    where: `its own server on 127.0.0.1:${port}, in ${relative(process.cwd(), folder)}`,
  }
}
