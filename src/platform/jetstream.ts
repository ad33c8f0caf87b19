import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { headers, nanos } from '@nats-io/transport-node'
import type { Nats } from './nats.ts'

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

export interface StoredEvent extends EventAddress {
  sequence: number
  /** The CloudEvent, in JSON. */
  json: Buffer
}

export type EventStream = ReturnType<typeof createEventStream>

/** JetStream stores a message that is sent twice within this time once. Longer than a relay may run after another has
 * taken over. */
const DUPLICATE_WINDOW_MS = 120_000

/** Up to so many events are read without a filter, including those of other teams. A filtered read near the end of the
 * stream takes milliseconds for each event on servers before 2.9.15, which count the rest again each time. */
const MAX_UNFILTERED_READ = 20_000

const MAX_BATCH = 256
const FETCH_EXPIRES_MS = 2_000
const FETCH_TIMEOUT_MS = 5_000
/** After this time the server deletes a consumer that we could not delete because NATS was down. */
const CONSUMER_INACTIVE_MS = 60_000

const ACKNOWLEDGEMENT_TIMEOUT_MS = 3_000
const STREAM_NOT_FOUND = 10059

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
      const found = await streams.info(name).catch((error: unknown) => {
        if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined
        throw error
      })
      if (!found) return describe(await streams.add(config))
      const differs = Object.entries(config).some(
        ([key, value]) => JSON.stringify(found.config[key as keyof StreamConfig]) !== JSON.stringify(value),
      )
      return describe(differs ? await streams.update(name, config) : found)
    },

    async state(): Promise<StoredStream> {
      const { streams } = await manage()
      return describe(await streams.info(name))
    },

    /** Resolves when the stream has stored the event. An event with the same id is stored once. */
    async publish(address: EventAddress, id: string, payload: string): Promise<void> {
      const sent = headers()
      sent.set('content-type', 'application/cloudevents+json')
      await stream().publish(subjectOf(address), payload, {
        msgID: id,
        // If our stream was deleted, another stream with the same subjects could acknowledge.
        expect: { streamName: name },
        headers: sent,
        timeout: ACKNOWLEDGEMENT_TIMEOUT_MS,
      })
    },

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
      const isFiltered = last - first > MAX_UNFILTERED_READ
      const { consumers } = await manage()
      // Not an ordered consumer: one that is stopped while it recreates itself leaves its new consumer on the server.
      const info = await consumers.add(name, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: first,
        ack_policy: AckPolicy.None,
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: nanos(CONSUMER_INACTIVE_MS),
        ...(isFiltered ? { filter_subject: `${subjectPrefix}.${teamId}.*` } : {}),
      })
      const consumer = stream().consumers.getConsumerFromInfo(info)
      try {
        let pending = info.num_pending
        let delivered = 0
        while (pending > 0 && !signal.aborted) {
          connected()
          const batch = await fetchBatch(consumer, Math.min(MAX_BATCH, pending), signal)
          if (batch.length === 0 && !signal.aborted) throw new Error('The stream stopped while it was read')
          for (const message of batch) {
            if (signal.aborted || message.seq > last) return
            delivered++
            if (message.info.deliverySequence !== delivered)
              throw new Error('A message of the stream was lost')
            const event = toStoredEvent(message)
            if (event.teamId === teamId) yield event
            pending = message.info.pending
          }
        }
      } finally {
        if (nats.isUp()) await consumer.delete().catch(() => {})
      }
    },
  }

  function subjectOf({ teamId, agentId }: EventAddress): string {
    return `${subjectPrefix}.${teamId}.${agentId}`
  }
}

/** Returns the messages that arrive in time, as an array: the timers and the subscription of the client then end here,
 * not when the caller has handled the last message. */
async function fetchBatch(consumer: Consumer, count: number, signal: AbortSignal): Promise<JsMsg[]> {
  const messages = await consumer.fetch({ max_messages: count, expires: FETCH_EXPIRES_MS })
  const onAbort = stopOnAbort(messages, signal)
  // While NATS is down the client would wait forever.
  const deadline = setTimeout(() => messages.stop(), FETCH_TIMEOUT_MS)
  try {
    return await Array.fromAsync(messages)
  } finally {
    clearTimeout(deadline)
    onAbort.remove()
  }
}

/** Stops `messages` even if the signal has already aborted: otherwise their timer would outlive the connection. */
function stopOnAbort(messages: ConsumerMessages, signal: AbortSignal) {
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return { remove: () => signal.removeEventListener('abort', stop) }
}

function toStoredEvent({ seq, subject, data }: JsMsg): StoredEvent {
  const [agentId = '', teamId = ''] = subject.split('.').toReversed()
  // A copy: `data` is a view of a network buffer with other messages.
  return { sequence: seq, teamId, agentId, json: Buffer.from(data) }
}

function describe({ created, state }: StreamInfo): StoredStream {
  // A stream without events reports 0; its first event gets 1.
  const firstSequence = Math.max(1, state.first_seq)
  return { createdAt: Date.parse(created), firstSequence, lastSequence: state.last_seq }
}
