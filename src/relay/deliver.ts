import { SpanKind } from '@opentelemetry/api'
import { type EventStream, UnexpectedMessages } from '../platform/events/jetstream.ts'
import type { OutboxBatch, OutboxEvent } from '../platform/events/outbox.ts'
import { continueTrace } from '../platform/tracing/spans.ts'
import { toCloudEvent } from './cloud-event.ts'

const PUBLISH = { kind: SpanKind.PRODUCER, attributes: { 'messaging.system': 'nats' } }

/** The most events that a relay publishes before it records them. */
export const BATCH_SIZE = 1_000

export interface Delivery {
  delivered: OutboxEvent[]
  /** The last sequence of the stream that this database knows of. */
  lastSequence: number
  /** The first error. Undefined if all events were delivered. */
  failure: unknown
}

export interface DeliveryOptions {
  /** By `performance.now()`. Nothing is published later. */
  deadline: number
  /** The stream was compared with the database after the batch was locked. */
  isCompared: boolean
}

/** Publishes the events of each agent one after another, because JetStream may lose a message and store the next while
 * it elects a leader. Agents are published in parallel: an event that fails holds back only its own agent.
 *
 * The first event waits alone: the stream refuses it if it has messages that this database does not know of. */
export async function deliver(
  stream: Pick<EventStream, 'publish'>,
  { events, epoch, position }: Pick<OutboxBatch, 'events' | 'epoch' | 'position'>,
  { deadline, isCompared }: DeliveryOptions,
): Promise<Delivery> {
  const delivered: OutboxEvent[] = []
  let { lastSequence } = position
  let failure: unknown

  const publish = async (event: OutboxEvent, afterSequence?: number) => {
    if (performance.now() > deadline) throw new Error('The delivery of the batch timed out')
    const cloudEvent = toCloudEvent(event, epoch)
    const published = await continueTrace(cloudEvent.traceparent, 'publish event', PUBLISH, () =>
      stream.publish(event, cloudEvent.id, JSON.stringify(cloudEvent), afterSequence),
    ).catch((cause: unknown) => {
      throw cause instanceof UnexpectedMessages
        ? cause
        : new Error(`Cannot deliver event ${cloudEvent.id}`, { cause })
    })
    // JetStream compares the id first, and did not look at the sequence.
    if (published.isDuplicate && afterSequence !== undefined && !isCompared)
      throw new UnexpectedMessages(`The stream has event ${cloudEvent.id} already`)
    lastSequence = Math.max(lastSequence, published.sequence)
    delivered.push(event)
  }
  /** Returns whether the stream has taken an event as the next one. An agent whose event fails is held back. */
  const publishFirst = async (agents: OutboxEvent[][]): Promise<boolean> => {
    for (let ofAgent = agents[0]; ofAgent?.[0]; ofAgent = agents[0]) {
      try {
        await publish(ofAgent[0], lastSequence)
        ofAgent.shift()
        return true
      } catch (error) {
        failure ??= error
        if (error instanceof UnexpectedMessages) return false
        agents.shift()
      }
    }
    return false
  }
  const publishInOrder = async (ofAgent: OutboxEvent[]) => {
    for (const event of ofAgent) await publish(event)
  }

  const agents = [...Map.groupBy(events, ({ agentId }) => agentId).values()]
  if (await publishFirst(agents)) {
    await Promise.all(
      agents.map((ofAgent) =>
        publishInOrder(ofAgent).catch((error: unknown) => {
          failure ??= error
        }),
      ),
    )
  }
  return { delivered, lastSequence, failure }
}
