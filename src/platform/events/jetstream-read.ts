import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

export interface ReadRange {
  stream: string
  /** Sequences, both included. */
  first: number
  last: number
  /** Undefined for every subject. */
  filterSubject: string | undefined
}

/** Sixteen readers together must not exceed what NATS buffers for a connection, 64 MiB. */
const MAX_BATCH = 64
/** Messages that arrive later are lost. NATS has them all, so only a process without processor time comes near it. */
const FETCH_EXPIRES_MS = 10_000
const FETCH_TIMEOUT_MS = 15_000
/** After this time the server deletes a consumer that we could not delete because NATS was down. */
const CONSUMER_INACTIVE_MS = 60_000

export interface ReadConnection {
  client: JetStreamClient
  manager: JetStreamManager
  isUp: () => boolean
}

/** The messages of a range that the stream still has. Ends early when the signal aborts. */
export async function* readMessages(
  { client, manager, isUp }: ReadConnection,
  { stream, first, last, filterSubject }: ReadRange,
  signal: AbortSignal,
): AsyncGenerator<JsMsg> {
  // Not an ordered consumer: one that is stopped while it recreates itself leaves its new consumer on the server.
  const info = await manager.consumers.add(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
    ack_policy: AckPolicy.None,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(CONSUMER_INACTIVE_MS),
    ...(filterSubject === undefined ? {} : { filter_subject: filterSubject }),
  })
  const consumer = client.consumers.getConsumerFromInfo(info)
  try {
    let pending = info.num_pending
    let delivered = 0
    while (pending > 0 && !signal.aborted) {
      if (!isUp()) throw new Error('NATS is not connected')
      const batch = await fetchBatch(consumer, Math.min(MAX_BATCH, pending), signal)
      if (batch.length === 0 && !signal.aborted) throw new Error('The stream stopped while it was read')
      for (const message of batch) {
        if (signal.aborted || message.seq > last) return
        delivered++
        if (message.info.deliverySequence !== delivered) throw new Error('A message of the stream was lost')
        yield message
        pending = message.info.pending
      }
    }
  } finally {
    if (isUp()) await consumer.delete().catch(() => {})
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
export function stopOnAbort(messages: ConsumerMessages, signal: AbortSignal) {
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return { remove: () => signal.removeEventListener('abort', stop) }
}
