import { SpanKind } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { AgentEvent } from '../../api/events.ts'
import { parseUuid } from '../../api/uuid.ts'
import {
  type EventStream,
  type StoredEvent,
  type StoredStream,
  UnexpectedMessages,
} from '../../platform/nats/stream.ts'
import { continueTrace } from '../../platform/observe/tracing.ts'
import type { RelayMetrics } from './metrics.ts'
import {
  type EventKey,
  type Outbox,
  type OutboxBatch,
  type OutboxEvent,
  type StreamPosition,
  toCloudEvent,
} from './outbox.ts'

export interface BatchDeliveryDeps {
  outbox: Outbox
  stream: Pick<EventStream, 'ensure' | 'publish' | 'readAllTeams'>
  metrics: RelayMetrics
  log: Logger
}

/** Well below the time that the outbox lets a relay hold a batch: after that another relay may have taken over. */
const BATCH_TIMEOUT_MS = 8_000

const WHAT_TO_DO =
  'If the database was restored from a backup, run `npm run events:new-epoch`. If not, check NATS_URL and ' +
  'NATS_STREAM: each database needs its own stream. See docs/backup.md.'

/** Delivers the events of the outbox batch by batch. It compares the stream with the database first, and again after
 * each failure: either may have been replaced. */
export class BatchDelivery {
  readonly #deps: BatchDeliveryDeps
  #isCompared = false
  #isReported = false

  constructor(deps: BatchDeliveryDeps) {
    this.#deps = deps
  }

  /** Delivers one batch, and returns whether there may be more events. */
  async deliverNext(): Promise<boolean> {
    try {
      const batch = await this.#deps.outbox.take(BATCH_SIZE)
      if (!batch) return false
      try {
        return await this.#handle(batch)
      } finally {
        await batch.abandon()
      }
    } catch (error) {
      this.#isCompared = false
      throw error
    }
  }

  async #handle(batch: OutboxBatch): Promise<boolean> {
    const { stream, metrics } = this.#deps
    const deadline = performance.now() + BATCH_TIMEOUT_MS
    const { events, position } = batch
    // A sequence of 0 says nothing about which stream it is.
    const mustCompare = !this.#isCompared || (events.length > 0 && position.lastSequence === 0)
    if (mustCompare) {
      const result = await this.#compare(batch)
      if (result !== 'same') return result === 'recorded'
    }
    if (batch.isDiverged) {
      this.#reportDiverged()
      return false
    }
    this.#isReported = false
    const options = { deadline, isCompared: mustCompare }
    const { delivered, lastSequence, failure } = await deliver(stream, batch, options)
    if (delivered.length > 0)
      metrics.observeDelivery(await batch.release(delivered, { ...position, lastSequence }))
    if (failure instanceof UnexpectedMessages && !mustCompare) {
      this.#isCompared = false
      return true
    }
    if (failure) throw failure
    return events.length === BATCH_SIZE
  }

  async #compare(batch: OutboxBatch): Promise<'same' | 'recorded' | 'diverged'> {
    const { stream, metrics, log } = this.#deps
    try {
      const { published, position, lost } = await compareWithStream(stream, batch)
      this.#isCompared = true
      if (lost > 0) log.warn({ lost }, 'the stream has lost events that it had acknowledged')
      const { createdAt, lastSequence } = batch.position
      const isSame = createdAt === position.createdAt && lastSequence === position.lastSequence
      if (isSame && !batch.isDiverged) return 'same'
      metrics.observeDelivery(await batch.release(published, position))
      return 'recorded'
    } catch (error) {
      if (!(error instanceof Diverged)) throw error
      this.#isCompared = true
      this.#reportDiverged(error)
      await batch.stopDelivery()
      return 'diverged'
    }
  }

  #reportDiverged(error?: Diverged): void {
    if (!this.#isReported) {
      const message = `event delivery has stopped; events stay in the outbox. ${WHAT_TO_DO}`
      this.#deps.log.error({ err: error }, message)
    }
    this.#isReported = true
  }
}

const PUBLISH = { kind: SpanKind.PRODUCER, attributes: { 'messaging.system': 'nats' } }

/** The most events that a relay publishes before it records them. */
const BATCH_SIZE = 1_000

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

export interface Comparison {
  /** Events that a relay published before it died, and did not delete. */
  published: OutboxEvent[]
  /** The last message of the stream. */
  position: StreamPosition
  /** How many messages the stream has lost that it had acknowledged. */
  lost: number
}

/** The stream holds events that this database does not have: the database was restored from a backup, or the stream
 * belongs to another database. */
class Diverged extends Error {}

/** A relay that dies leaves at most one batch; one that stalled may add the rest of its own. */
const MAX_UNRECORDED = 2 * BATCH_SIZE

/** Compares the stream with what this database has recorded. Throws Diverged if they do not belong together. */
async function compareWithStream(
  stream: Pick<EventStream, 'ensure' | 'readAllTeams'>,
  batch: Pick<OutboxBatch, 'epoch' | 'position' | 'findWaiting'>,
): Promise<Comparison> {
  const stored = await stream.ensure()
  const { createdAt, lastSequence } = stored
  const isSameStream = createdAt === batch.position.createdAt
  const recorded = isSameStream ? batch.position.lastSequence : 0
  const position = { createdAt, lastSequence }
  if (lastSequence <= recorded) return { published: [], position, lost: recorded - lastSequence }
  const published = await findPublished(stream, batch, recorded, stored)
  if (!published) {
    throw new Diverged(
      isSameStream
        ? `The stream holds events after ${recorded}, up to ${lastSequence}, that this database does not have`
        : 'The stream holds events of another database',
    )
  }
  return { published, position, lost: 0 }
}

/** Returns the events that the stream holds after a sequence, or undefined if one of them does not wait in the
 * outbox. */
async function findPublished(
  stream: Pick<EventStream, 'readAllTeams'>,
  batch: Pick<OutboxBatch, 'epoch' | 'findWaiting'>,
  recorded: number,
  { lastSequence }: StoredStream,
): Promise<OutboxEvent[] | undefined> {
  const count = lastSequence - recorded
  if (count > MAX_UNRECORDED) return undefined
  const neverAborted = new AbortController().signal
  const messages = await Array.fromAsync(stream.readAllTeams(recorded + 1, lastSequence, neverAborted))
  const events = messages.map(parseEvent).filter((event) => event !== undefined)
  // A message that was deleted, or is no event of an agent, cannot be compared.
  if (events.length < count) return undefined
  const waiting = await batch.findWaiting(events.map(toKey))
  const expected = new Set(waiting.map((event) => describeChange(toCloudEvent(event, batch.epoch))))
  return events.every((event) => expected.has(describeChange(event))) ? waiting : undefined
}

/** Not the whole event: another version of the relay may have published more. */
function describeChange({ id, type, epoch, data }: AgentEvent): string {
  return JSON.stringify([id, type, epoch, data.team_id, data.changed_by, data.changed_at, data.fields])
}

const toKey = ({ data }: AgentEvent): EventKey => ({
  teamId: data.team_id,
  agentId: data.agent_id,
  revision: data.revision,
})

/** Anyone who may publish can have written the message. */
function parseEvent({ teamId, agentId, json }: StoredEvent): AgentEvent | undefined {
  try {
    const event = JSON.parse(json.toString()) as AgentEvent
    const { team_id, agent_id, revision } = event.data
    const hasKey = parseUuid(teamId).ok && parseUuid(agentId).ok && Number.isSafeInteger(revision)
    return hasKey && team_id === teamId && agent_id === agentId ? event : undefined
  } catch {
    return undefined
  }
}
