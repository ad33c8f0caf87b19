import {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamAPI,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { headers, type NatsConnection, nanos } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Metrics } from '../observe/metrics.ts'
import { Nats, type NatsLogin, observeNats } from './nats.ts'
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

/** JetStream does not store a message again that is sent again within this time. The time must be longer than a relay
 * can keep running after another one took over. */
const DUPLICATE_WINDOW_MS = 120_000

/** A read of at most this many events has no filter and skips the events of other teams itself. For each event of a
 * filtered read near the end of the stream, NATS before 2.9.15 counts the remaining messages, which takes
 * milliseconds. */
const MAX_UNFILTERED_READ = 20_000

const ACKNOWLEDGEMENT_TIMEOUT_MS = 3_000

const WRONG_LAST_SEQUENCE = new Set<number>([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
])

export interface EventsOptions {
  natsUrl: string
  /** Absent: only what the URL has. */
  natsLogin?: NatsLogin
  stream: EventStreamSettings
}

/** The JetStream stream that holds the events of agents. */
export class EventStream {
  readonly nats: Nats
  readonly subjectPrefix: string
  readonly #name: string
  readonly #config: ReturnType<typeof toConfig>
  #client: JetStreamClient | undefined

  constructor({ natsUrl, natsLogin, stream }: EventsOptions, log: Logger, metrics?: Metrics) {
    const nats = new Nats(natsUrl, log, natsLogin)
    if (metrics) observeNats(metrics, () => nats.isUp())
    this.nats = nats
    this.subjectPrefix = stream.subjectPrefix
    this.#name = stream.name
    this.#config = toConfig(stream)
  }

  isUp(): boolean {
    return this.nats.isUp()
  }

  close(): Promise<void> {
    return this.nats.close()
  }

  /** Creates the stream, or updates its configuration. */
  async ensure(): Promise<StoredStream> {
    const { streams } = await this.#manage()
    const found = await this.#find(streams)
    if (!found) return describe(await streams.add(this.#config))
    const differs = Object.entries(this.#config).some(
      ([key, value]) => JSON.stringify(found.config[key as keyof StreamConfig]) !== JSON.stringify(value),
    )
    return describe(differs ? await streams.update(this.#name, this.#config) : found)
  }

  /** Creates the stream if there is none. A command must not shrink one to the defaults of settings that it was not
   * given. */
  async ensureExists(): Promise<StoredStream> {
    const { streams } = await this.#manage()
    return describe((await this.#find(streams)) ?? (await streams.add(this.#config)))
  }

  async state(): Promise<StoredStream> {
    const { streams } = await this.#manage()
    return describe(await streams.info(this.#name))
  }

  /** The epoch of the last message. Undefined if the stream does not have it any more, or if the console has not
   * published it. */
  async lastEpoch({ lastSequence }: StoredStream): Promise<number | undefined> {
    if (lastSequence === 0) return undefined
    const { streams } = await this.#manage()
    const message = await streams.getMessage(this.#name, { seq: lastSequence })
    return message ? parseMessage(message.subject, message.data)?.epoch : undefined
  }

  /** Resolves when the stream has stored the event. An event with the same id is stored once. With `afterSequence`, the
   * stream refuses a new event unless this is its last sequence. */
  publish(
    { teamId, agentId }: EventAddress,
    id: string,
    payload: string,
    afterSequence?: number,
  ): Promise<Published> {
    return this.#publish(`${this.subjectPrefix}.${teamId}.${agentId}`, id, payload, afterSequence)
  }

  /** The message after which the events of an epoch begin. */
  publishEpoch(epoch: number, id: string, payload: string, afterSequence: number): Promise<Published> {
    return this.#publish(`${this.subjectPrefix}.${EPOCH_SUBJECT}.${epoch}`, id, payload, afterSequence)
  }

  /** Every event from a sequence on, until the signal aborts or the stream is deleted. */
  async *follow(firstSequence: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const consumer = await this.#jetstream().consumers.get(this.#name, {
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
  }

  /** The events of a team from one sequence up to another, both included. Ends early when the signal aborts. */
  async *read(teamId: string, first: number, last: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const subject = last - first > MAX_UNFILTERED_READ ? `${this.subjectPrefix}.${teamId}.*` : undefined
    for await (const event of this.#readRange(first, last, signal, subject)) {
      if (event.teamId === teamId) yield event
    }
  }

  /** The events of all teams from one sequence up to another, both included. */
  readAllTeams(first: number, last: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    return this.#readRange(first, last, signal)
  }

  async *#readRange(
    first: number,
    last: number,
    signal: AbortSignal,
    filterSubject?: string,
  ): AsyncGenerator<StoredEvent> {
    const connection = {
      client: this.#jetstream(),
      manager: await this.#manage(),
      isUp: () => this.isUp(),
    }
    const range = { stream: this.#name, first, last, filterSubject }
    for await (const message of readMessages(connection, range, signal)) yield toStoredEvent(message)
  }

  async #publish(
    subject: string,
    id: string,
    payload: string,
    afterSequence: number | undefined,
  ): Promise<Published> {
    const sent = headers()
    sent.set('content-type', 'application/cloudevents+json')
    // If our stream was deleted, another stream with the same subjects could acknowledge.
    const expect = {
      streamName: this.#name,
      ...(afterSequence === undefined ? {} : { lastSequence: afterSequence }),
    }
    try {
      const { seq, duplicate } = await this.#jetstream().publish(subject, payload, {
        msgID: id,
        expect,
        headers: sent,
        timeout: ACKNOWLEDGEMENT_TIMEOUT_MS,
      })
      return { sequence: seq, isDuplicate: duplicate }
    } catch (error) {
      const isUnexpected = error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code)
      throw isUnexpected ? new UnexpectedMessages(error.message, { cause: error }) : error
    }
  }

  async #find(streams: StreamAPI): Promise<StreamInfo | undefined> {
    try {
      return await streams.info(this.#name)
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
        return undefined
      throw error
    }
  }

  #connected(): NatsConnection {
    const connection = this.nats.connection()
    if (!connection || !this.isUp()) throw new Error('NATS is not connected')
    return connection
  }

  #manage(): Promise<JetStreamManager> {
    return jetstreamManager(this.#connected(), { checkAPI: false })
  }

  /** The connection object survives reconnects, so its client can be kept. */
  #jetstream(): JetStreamClient {
    const connection = this.#connected()
    this.#client ??= jetstream(connection)
    return this.#client
  }
}

function toConfig({ name, subjectPrefix, replicas, maxAgeHours, maxBytes }: EventStreamSettings) {
  return {
    name,
    subjects: [`${subjectPrefix}.*.*`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    num_replicas: replicas,
    max_age: nanos(maxAgeHours * 3_600_000),
    max_bytes: maxBytes,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  } satisfies Partial<StreamConfig>
}

function toStoredEvent({ seq, subject, data }: JsMsg): StoredEvent {
  const message = parseMessage(subject, data)
  if (!message) return { sequence: seq, teamId: '', agentId: '', epoch: undefined, json: EMPTY }
  // Not Buffer.from(text): it takes small buffers from a pool of 64 KiB, and each event that is kept would keep such a
  // pool.
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
