import type { EventStream } from '../platform/jetstream.ts'
import type { OutboxEvent } from '../platform/outbox.ts'
import { toCloudEvent } from './cloud-event.ts'

export interface Delivery {
  delivered: OutboxEvent[]
  /** The first error. Undefined if all events were delivered. */
  failure: unknown
}

/** Well below the time that the outbox lets a relay hold a batch: after that another relay may have taken over. */
const DELIVERY_TIMEOUT_MS = 8_000

/** Publishes the events of each agent one after another, because JetStream may lose a message and store the next while
 * it elects a leader. Agents are published in parallel: an event that fails holds back only its own agent. */
export async function deliver(
  stream: Pick<EventStream, 'publish'>,
  events: OutboxEvent[],
): Promise<Delivery> {
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS
  const delivered: OutboxEvent[] = []
  let failure: unknown

  const publishInOrder = async (ofAgent: OutboxEvent[]) => {
    for (const event of ofAgent) {
      if (performance.now() > deadline) throw new Error('The delivery of the batch timed out')
      await publish(stream, event)
      delivered.push(event)
    }
  }
  const byAgent = Map.groupBy(events, ({ agentId }) => agentId)
  await Promise.all(
    [...byAgent.values()].map((ofAgent) =>
      publishInOrder(ofAgent).catch((error: unknown) => {
        failure ??= error
      }),
    ),
  )
  return { delivered, failure }
}

async function publish(stream: Pick<EventStream, 'publish'>, event: OutboxEvent): Promise<void> {
  try {
    await stream.publish(event, event.id, JSON.stringify(toCloudEvent(event)))
  } catch (cause) {
    throw new Error(`Cannot deliver event ${event.id}`, { cause })
  }
}
