import {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamAPI,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { headers, nanos } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Metrics } from '../observe/metrics.ts'
import { createNats, type Nats, type NatsLogin, observeNats } from './nats.ts'
import { EPOCH_SUBJECT, parseMessage, readMessages, stopOnAbort } from './stream-read.ts'

export interface EventStreamSettings {
  name: string
  /** Subjects are `<prefix>.<team>.<agent>`. */
  subjectPrefix: string
  replicas: number
  maxAgeHours: number
  maxBytes: number
}

export interface EventAddress {
  teamId: string
  agentId: string
}

export interface StoredStream {
  /** In milliseconds since the epoch. Identifies the stream: a new stream counts its sequences from 1 again. */
  createdAt: number
  firstSequence: number
  lastSequence: number
}

/** A message of the stream. One that the console has not published has no team, no epoch and no content. */
export interface StoredEvent extends EventAddress {
  sequence: number
  epoch: number | undefined
  /** The CloudEvent, in JSON: one line. */
  json: Buffer
}

export interface Published {
  sequence: number
  /** Whether the stream had a message with this id already. Its sequence is that of the first one. */
  isDuplicate: boolean
}

/** The stream has other messages than the publisher expects. */
export class UnexpectedMessages extends Error {}

export type EventStream = ReturnType<typeof createEventStream>

/** JetStream does not store a message again that is sent again within this time. The time must be longer than a relay can
 * keep running after another one took over. */
const DUPLICATE_WINDOW_MS = 120_000

/** A read of at most this many events has no filter and skips the events of other teams itself. For each event of a
 * filtered read near the end of the stream, NATS before 2.9.15 counts the remaining messages, which takes milliseconds. */
const MAX_UNFILTERED_READ = 20_000

const ACKNOWLEDGEMENT_TIMEOUT_MS = 3_000

const WRONG_LAST_SEQUENCE = new Set<number>([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
])

/** The JetStream stream that holds the events of agents. */
export function createEventStream(nats: Nats, settings: EventStreamSettings) {
  const { name, subjectPrefix } = settings
  const config = {
    name,
    subjects: [`${subjectPrefix}.*.*`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    num_replicas: settings.replicas,
    max_age: nanos(settings.maxAgeHours * 3_600_000),
    max_bytes: settings.maxBytes,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  } satisfies Partial<StreamConfig>

  const connected = () => {
    const connection = nats.connection()
    if (!connection || !nats.isUp()) throw new Error('NATS is not connected')
    return connection
  }
  const manage = () => jetstreamManager(connected(), { checkAPI: false })
  /** The connection object survives reconnects, so its client can be kept. */
  let client: JetStreamClient | undefined
  const stream = () => {
    const connection = connected()
    client ??= jetstream(connection)
    return client
  }

  return {
    subjectPrefix,
    isUp: nats.isUp,

    /** Creates the stream, or updates its configuration. */
    async ensure(): Promise<StoredStream> {
      const { streams } = await manage()
      const found = await findStream(streams)
      if (!found) return describe(await streams.add(config))
      const differs = Object.entries(config).some(
        ([key, value]) => JSON.stringify(found.config[key as keyof StreamConfig]) !== JSON.stringify(value),
      )
      return describe(differs ? await streams.update(name, config) : found)
    },

    /** Creates the stream if there is none. A command must not shrink one to the defaults of settings that it was not given. */
    async ensureExists(): Promise<StoredStream> {
      const { streams } = await manage()
      return describe((await findStream(streams)) ?? (await streams.add(config)))
    },

    async state(): Promise<StoredStream> {
      const { streams } = await manage()
      return describe(await streams.info(name))
    },

    /** The epoch of the last message. Undefined if the stream does not have it any more, or if the console has not published
     * it. */
    async lastEpoch({ lastSequence }: StoredStream): Promise<number | undefined> {
      if (lastSequence === 0) return undefined
      const { streams } = await manage()
      const message = await streams.getMessage(name, { seq: lastSequence })
      return message ? parseMessage(message.subject, message.data)?.epoch : undefined
    },

    /** Resolves when the stream has stored the event. An event with the same id is stored once. With `afterSequence`, the
     * stream refuses a new event unless this is its last sequence. */
    publish: (address: EventAddress, id: string, payload: string, afterSequence?: number) =>
      publish(subjectOf(address), id, payload, afterSequence),

    /** The message after which the events of an epoch begin. */
    publishEpoch: (epoch: number, id: string, payload: string, afterSequence: number) =>
      publish(`${subjectPrefix}.${EPOCH_SUBJECT}.${epoch}`, id, payload, afterSequence),

    /** Every event from a sequence on, until the signal aborts or the stream is deleted. */
    async *follow(firstSequence: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
      const consumer = await stream().consumers.get(name, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: firstSequence,
      })
      const messages = await consumer.consume({
        max_messages: 1_000,
        expires: 5_000,
        idle_heartbeat: 1_000,
        abort_on_missing_resource: true,
      })
      const onAbort = stopOnAbort(messages, signal)
      try {
        for await (const message of messages) yield toStoredEvent(message)
      } finally {
        onAbort.remove()
        await consumer.delete().catch(() => {})
      }
    },

    /** The events of a team from one sequence up to another, both included. Ends early when the signal aborts. */
    async *read(
      teamId: string,
      first: number,
      last: number,
      signal: AbortSignal,
    ): AsyncGenerator<StoredEvent> {
      const filterSubject = last - first > MAX_UNFILTERED_READ ? `${subjectPrefix}.${teamId}.*` : undefined
      for await (const event of readRange({ first, last, filterSubject }, signal)) {
        if (event.teamId === teamId) yield event
      }
    },

    /** The events of all teams from one sequence up to another, both included. */
    readAllTeams: (first: number, last: number, signal: AbortSignal) =>
      readRange({ first, last, filterSubject: undefined }, signal),
  }

  async function findStream(streams: StreamAPI): Promise<StreamInfo | undefined> {
    try {
      return await streams.info(name)
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
        return undefined
      throw error
    }
  }

  async function publish(
    subject: string,
    id: string,
    payload: string,
    afterSequence: number | undefined,
  ): Promise<Published> {
    const sent = headers()
    sent.set('content-type', 'application/cloudevents+json')
    try {
      const { seq, duplicate } = await stream().publish(subject, payload, {
        msgID: id,
        // If our stream was deleted, another stream with the same subjects could acknowledge.
        expect: { streamName: name, ...(afterSequence === undefined ? {} : { lastSequence: afterSequence }) },
        headers: sent,
        timeout: ACKNOWLEDGEMENT_TIMEOUT_MS,
      })
      return { sequence: seq, isDuplicate: duplicate }
    } catch (error) {
      const isUnexpected = error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code)
      throw isUnexpected ? new UnexpectedMessages(error.message, { cause: error }) : error
    }
  }

  async function* readRange(
    range: { first: number; last: number; filterSubject: string | undefined },
    signal: AbortSignal,
  ): AsyncGenerator<StoredEvent> {
    const connection = { client: stream(), manager: await manage(), isUp: nats.isUp }
    for await (const message of readMessages(connection, { stream: name, ...range }, signal)) {
      yield toStoredEvent(message)
    }
  }

  function subjectOf({ teamId, agentId }: EventAddress): string {
    return `${subjectPrefix}.${teamId}.${agentId}`
  }
}

function toStoredEvent({ seq, subject, data }: JsMsg): StoredEvent {
  const message = parseMessage(subject, data)
  if (!message) return { sequence: seq, teamId: '', agentId: '', epoch: undefined, json: EMPTY }
  // Not Buffer.from(text): it takes small buffers from a pool of 64 KiB, and each event that is kept would keep such a pool.
  const json = Buffer.allocUnsafeSlow(Buffer.byteLength(message.json))
  json.write(message.json)
  return { ...message, sequence: seq, json }
}

const EMPTY = Buffer.alloc(0)

function describe({ created, state }: StreamInfo): StoredStream {
  // A stream without events reports 0; its first event gets 1.
  const firstSequence = Math.max(1, state.first_seq)
  return { createdAt: Date.parse(created), firstSequence, lastSequence: state.last_seq }
}

export interface EventsOptions {
  natsUrl: string
  /** Absent: only what the URL has. */
  natsLogin?: NatsLogin
  stream: EventStreamSettings
}

export interface Events {
  nats: Nats
  stream: EventStream
  close: () => Promise<void>
}

export function createEvents(
  { natsUrl, natsLogin, stream }: EventsOptions,
  log: Logger,
  metrics?: Metrics,
): Events {
  const nats = createNats(natsUrl, log, natsLogin)
  if (metrics) observeNats(metrics, nats.isUp)
  return { nats, stream: createEventStream(nats, stream), close: nats.close }
}
