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
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { AgentEvent, EpochEvent } from '../../api/events.ts'
import { onFirstUse } from '../async.ts'

/** A message of the stream that the console has published. */
export interface EventMessage {
  teamId: string
  agentId: string
  epoch: number
  /** The CloudEvent, in JSON, with the members that the contract names and no others. */
  json: string
}

/** In the place of the team, in the subject of the message that begins an epoch. */
export const EPOCH_SUBJECT = 'epoch'

// A newer version of the relay may know more actions.
const ACTION = /^[a-z][a-z_]{0,63}$/
const { data } = AgentEvent.properties
const AnyAgentEvent = Type.Object({
  ...AgentEvent.properties,
  type: Type.String(),
  data: Type.Object({ ...data.properties, action: Type.String({ pattern: ACTION.source }) }),
})

const ajv = new Ajv({ strict: false, validateFormats: false })
const isAgentEvent = onFirstUse((): ((message: unknown) => message is AgentEvent) =>
  ajv.compile(AnyAgentEvent),
)
const isEpochEvent = onFirstUse((): ((message: unknown) => message is EpochEvent) => ajv.compile(EpochEvent))

/** Reads a message by its subject, `<prefix>.<team>.<agent>` or `<prefix>.epoch.<epoch>`. Undefined if it is not one
 * that the console publishes there: anyone who may publish to NATS can have written it. */
export function parseMessage(subject: string, payload: Uint8Array): EventMessage | undefined {
  const [last = '', teamId = ''] = subject.split('.').toReversed()
  const message = parseJson(payload)
  if (teamId === EPOCH_SUBJECT) return parseEpoch(message, last)
  if (!isAgentEvent(message)) return undefined
  const event = pick(message)
  const { team_id, agent_id, revision, action, changed_at } = event.data
  const id = [agent_id, revision, ...(event.epoch === 1 ? [] : [event.epoch])].join(':')
  const isConsistent =
    team_id === teamId &&
    agent_id === last &&
    event.subject === last &&
    event.id === id &&
    event.type === `console.agent.${action}` &&
    Date.parse(event.time) === changed_at * 1_000
  return isConsistent ? { teamId, agentId: last, epoch: event.epoch, json: JSON.stringify(event) } : undefined
}

function parseEpoch(message: unknown, epoch: string): EventMessage | undefined {
  if (!isEpochEvent(message) || String(message.epoch) !== epoch) return undefined
  return { teamId: EPOCH_SUBJECT, agentId: epoch, epoch: message.epoch, json: '' }
}

/** The members of the contract, in its order. */
function pick(message: AgentEvent): AgentEvent {
  const known = <Part extends object>(part: Part, properties: object) =>
    Object.fromEntries(Object.keys(properties).map((name) => [name, part[name as keyof Part]]))
  return {
    ...known(message, AgentEvent.properties),
    data: known(message.data, data.properties),
  } as AgentEvent
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString())
  } catch {
    return undefined
  }
}

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
