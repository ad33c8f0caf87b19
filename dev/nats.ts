import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { startPrivateNats } from './private-nats.ts'

const LOCAL = 'nats://127.0.0.1:4222'

const HOW_TO = `Install NATS, or name a server with JetStream that is running elsewhere:
  Debian, Ubuntu:  apt-get install nats-server
  macOS:           brew install nats-server
  elsewhere:       NATS_URL=nats://host:4222 npm run dev`

export interface DevNats {
  url: string
  where: string
  close: () => Promise<void>
}

/** A JetStream to develop on: the one that is named, else that of this machine, else one started for the purpose. */
export async function findNats(named: string | undefined): Promise<DevNats> {
  if (named !== undefined) {
    await hasJetStream(named).catch((error: Error) => {
      throw new Error(
        `The NATS of NATS_URL does not answer, or has no JetStream (${error.message}).\n${HOW_TO}`,
      )
    })
    return { url: named, where: 'NATS_URL', close: async () => {} }
  }
  const isLocal = await hasJetStream(LOCAL).then(
    () => true,
    () => false,
  )
  if (isLocal) return { url: LOCAL, where: '127.0.0.1:4222', close: async () => {} }
  const own = await startPrivateNats().catch((error: Error) => {
    throw new Error(
      `NATS with JetStream neither runs on 127.0.0.1:4222 nor could be started (${error.message.trim()}).\n${HOW_TO}`,
    )
  })
  return { url: own.url, where: 'a private server, gone when this ends', close: own.remove }
}

async function hasJetStream(url: string): Promise<void> {
  const connection = await connect({ servers: url.split(','), timeout: 2_000, reconnect: false })
  try {
    await jetstreamManager(connection)
  } finally {
    await connection.close()
  }
}
