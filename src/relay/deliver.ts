import type { EventStream } from '../platform/event-stream.ts'
import type { OutboxEvent } from '../platform/outbox.ts'
import { toCloudEvent } from './event.ts'

export interface Delivery {
  delivered: OutboxEvent[]
  /** Why the rest was not. Undefined when there is no rest. */
  failure: unknown
}

/** Well within what the outbox lets a relay hold a batch. One that was stopped for longer must send nothing
 * more: another has taken over. */
const DELIVERED_WITHIN_MS = 8_000

/** Publishes all agents at once, and the events of each one after the other: while a stream changes its
 * leader, a message may be lost and the next one arrive. An event that is not taken keeps back those of its own agent
 * only: one that never is must not stop all others. */
export async function deliver(
  stream: Pick<EventStream, 'publish'>,
  events: OutboxEvent[],
): Promise<Delivery> {
  const deadline = performance.now() + DELIVERED_WITHIN_MS
  const delivered: OutboxEvent[] = []
  let failure: unknown

  const publishInOrder = async (ofAgent: OutboxEvent[]) => {
    for (const event of ofAgent) {
      if (performance.now() > deadline) throw new Error('the batch took too long to deliver')
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
    throw new Error(`the event ${event.id} could not be delivered`, { cause })
  }
}
