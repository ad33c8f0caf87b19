import { randomUUID } from 'node:crypto'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
  jetstream,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { closeNats } from '../../src/platform/nats/nats.ts'
import { until } from './until.ts'

/** A server with JetStream. */
const SERVER_URL = process.env['TEST_NATS_URL'] ?? 'nats://127.0.0.1:4222'

/** A stream and subjects of one's own, so that tests on the same server do not see each other. The console
 * makes the stream, `remove` takes it away. */
export interface TestNats {
  connection: NatsConnection
  stream: string
  subjectPrefix: string
  /** Waits until JetStream answers: what is asked of a server that is gone, or of a cluster that has not chosen who
   * leads, is lost. */
  reconnected: () => Promise<void>
  /** What a console needs to deliver there. */
  environment: Record<string, string>
  /** Undefined while the stream does not exist. */
  info: () => Promise<StreamInfo | undefined>
  /** Everything that is in the stream now, in its order. */
  readAll: () => Promise<StreamEvent[]>
  /** The same, and all that is still to come, into an array that grows. Waits for the stream first. */
  collect: () => Promise<Collector>
  remove: () => Promise<void>
  /** Ends the connection, and leaves the stream. */
  close: () => Promise<void>
}

/** A message as it lies in the stream. */
export interface StreamEvent {
  sequence: number
  subject: string
  messageId: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a body
  body: any
  /** When it was seen, by `performance.now()`. */
  seenAt: number
}

export interface Collector {
  events: StreamEvent[]
  stop: () => Promise<void>
}

export async function createTestNats(servers: string | string[] = SERVER_URL): Promise<TestNats> {
  const own = randomUUID().replaceAll('-', '')
  const [stream, subjectPrefix] = [`TEST_${own}`, `test.${own}`]
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const probe = await jetstreamManager(connection, { checkAPI: false, timeout: 500 })
  const client = jetstream(connection)
  const info = () =>
    manager.streams.info(stream).catch((error: Error) => {
      const isAbsent = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
      if (isAbsent) return undefined
      throw error
    })
  return {
    connection,
    stream,
    subjectPrefix,
    environment: {
      NATS_URL: [servers].flat().join(','),
      NATS_STREAM: stream,
    },
    reconnected: () =>
      until(
        'JetStream answers',
        () =>
          probe.getAccountInfo().then(
            () => true,
            () => false,
          ),
        30_000,
      ),
    info,
    readAll: async () => {
      const last = (await info())?.state.last_seq ?? 0
      if (last === 0) return []
      const { events, stop } = await collect(client, stream)
      await until('the stream is read to its end', () => events.at(-1)?.sequence === last, 60_000)
      await stop()
      return events
    },
    collect: async () => {
      await until(`the stream ${stream} exists`, async () => (await info()) !== undefined)
      return collect(client, stream)
    },
    remove: async () => {
      if ((await info()) !== undefined) await manager.streams.delete(stream)
      await closeNats(connection)
    },
    close: () => closeNats(connection),
  }
}

/** Goes on where it was after the server is gone and back. */
async function collect(client: JetStreamClient, stream: string): Promise<Collector> {
  const events: StreamEvent[] = []
  const consumer = await client.consumers.get(stream)
  const messages = await consumer.consume({
    max_messages: 1_000,
    callback: (message) => void events.push(toEvent(message)),
  })
  const stop = async () => {
    await messages.close()
    await consumer.delete()
  }
  return { events, stop }
}

function toEvent(message: JsMsg): StreamEvent {
  return {
    sequence: message.seq,
    subject: message.subject,
    messageId: message.headers?.get('Nats-Msg-Id') ?? '',
    body: message.json(),
    seenAt: performance.now(),
  }
}
