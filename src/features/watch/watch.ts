import type { Readable } from 'node:stream'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import { Share } from '../../platform/limits/share.ts'
import { Turns } from '../../platform/limits/turns.ts'
import type { EventStream, StoredEvent } from '../../platform/nats/stream.ts'
import type { Factory, Metrics } from '../../platform/observe/metrics.ts'
import type { Broadcaster } from './broadcaster.ts'
import {
  formatEvent,
  formatPositionOnly,
  isAvailable,
  type Position,
  parsePosition,
  type StreamEpoch,
  Subscriber,
} from './subscriber.ts'

export interface WatchDeps {
  /** Undefined if NATS_URL is not set. */
  broadcaster: Pick<Broadcaster, 'now' | 'attach'> | undefined
  stream: Pick<EventStream, 'state' | 'lastEpoch' | 'read'> | undefined
  metrics: Metrics
  maxStreams?: number
}

export interface WatchOptions {
  agentIds: string[] | undefined
  lastEventId: string | undefined
  /** Ends the stream with the token of the request. */
  endWithToken: (end: () => void) => () => void
}

/** Up to this many events are sent without waiting for the client. */
const MAX_EVENTS_AT_ONCE = 100

/** Limits for reading events that are no longer in memory. A slow client gives up its place sooner, so that a few slow
 * clients do not delay the others. */
const MAX_CONCURRENT_READS = 16
const MAX_READ_MS = 1_000
const SLOW_CLIENT_MS = 50

const CLIENT_TIMEOUT_MS = 10_000

/** Event streams of all teams together. */
const MAX_STREAMS = 5_000

/** The event streams of clients. */
export class Watch {
  readonly #broadcaster: WatchDeps['broadcaster']
  readonly #stream: WatchDeps['stream']
  readonly #metrics: ReturnType<typeof createWatchMetrics>
  readonly #streams: Share
  readonly #reads = new Turns({ places: MAX_CONCURRENT_READS, maxWaitMs: CLIENT_TIMEOUT_MS })

  constructor({ broadcaster, stream, metrics, maxStreams = MAX_STREAMS }: WatchDeps) {
    this.#broadcaster = broadcaster
    this.#stream = stream
    this.#metrics = metrics.of(createWatchMetrics)
    this.#streams = new Share(maxStreams)
  }

  /** Returns server-sent events, until the token is no longer valid. */
  async open({ teamId }: Caller, { agentIds, lastEventId, endWithToken }: WatchOptions): Promise<Readable> {
    this.#streams.take(teamId)
    const start = await this.#findStart(lastEventId).catch((error: unknown) => {
      this.#streams.give(teamId)
      throw error
    })
    const subscriber = new Subscriber({
      teamId,
      agentIds: agentIds && new Set(agentIds),
      after: start.sequence,
    })
    const release = endWithToken(() => subscriber.end())
    this.#metrics.subscribers.inc()
    subscriber.body.once('close', () => {
      this.#streams.give(teamId)
      release()
      this.#metrics.subscribers.dec()
      if (subscriber.wasCutOff) this.#metrics.cutOff.inc()
    })
    subscriber.send(formatPositionOnly(start, start.sequence, 'watching'))
    // After an error the client reconnects and resumes.
    this.#catchUp(subscriber, start).catch(() => subscriber.body.destroy())
    return subscriber.body
  }

  /** Throws if the stream no longer has every event after the position. */
  async #findStart(lastEventId: string | undefined): Promise<Position> {
    const stream = this.#stream
    if (!this.#broadcaster || !stream) {
      throw new Problem('events_not_configured', { headers: { 'retry-after': '60' } })
    }
    const current = this.#broadcaster.now()
    if (!current) throw unavailable()
    const { createdAt, epoch, recent } = current
    if (lastEventId === undefined) return { createdAt, epoch, sequence: recent.lastSequence }
    const position = parsePosition(lastEventId)
    const isInMemory =
      position.sequence + 1 >= recent.firstSequence && position.sequence <= recent.lastSequence
    if (position.createdAt === createdAt && position.epoch === epoch && isInMemory) return position
    const isStored = await isInStream(position, epoch, stream).catch((error: unknown) => {
      throw unavailable(error)
    })
    if (!isStored) throw new Problem('position_expired')
    // Another replica has read the beginning of the epoch, and this one will soon.
    if (position.epoch > epoch) throw unavailable()
    return position
  }

  /** Sends the missed events, from the stream and then from memory, until at most MAX_EVENTS_AT_ONCE are left, which
   * the broadcaster sends when it takes over. */
  async #catchUp(subscriber: Subscriber, start: Position): Promise<void> {
    const [broadcaster, stream] = [this.#broadcaster, this.#stream]
    let { sequence } = start
    while (!subscriber.isClosed) {
      const current = broadcaster?.now()
      const isSameEpoch = current?.createdAt === start.createdAt && current.epoch === start.epoch
      if (!broadcaster || !stream || !isSameEpoch) return subscriber.end()
      const { recent } = current
      if (sequence + 1 < recent.firstSequence) {
        // Into the middle of what is in memory, whose beginning moves on while this is read.
        const [first, last] = [sequence + 1, Math.floor((recent.firstSequence + recent.lastSequence) / 2)]
        const { teamId } = subscriber.filter
        await this.#reads.enter(teamId)
        try {
          // The client may have disconnected while it waited.
          if (subscriber.isClosed) return
          const events = stream.read(teamId, first, last, subscriber.closeSignal)
          sequence = await sendEvents(subscriber, start, events, last, performance.now() + MAX_READ_MS)
        } finally {
          this.#reads.leave(teamId)
        }
      } else {
        const missed = recent.after(sequence)
        if (missed.length <= MAX_EVENTS_AT_ONCE) return broadcaster.attach(subscriber, sequence + 1)
        sequence = await sendEvents(subscriber, start, missed, recent.lastSequence, Number.POSITIVE_INFINITY)
      }
      // Keeps the connection alive while the events that are read do not match the filter.
      subscriber.send(formatPositionOnly(start, sequence, 'catching up'))
      if (!(await subscriber.waitForDemand(CLIENT_TIMEOUT_MS))) subscriber.cutOff()
    }
  }
}

/** Whether the stream still has every event after the position, and the epoch is its newest. */
async function isInStream(
  position: Position,
  knownEpoch: number,
  stream: Pick<EventStream, 'state' | 'lastEpoch'>,
): Promise<boolean> {
  const stored = await stream.state()
  if (!isAvailable(position, stored)) return false
  return position.epoch === ((await stream.lastEpoch(stored)) ?? knownEpoch)
}

/** Stops early at the deadline or if the client reads slowly. Returns the last sequence that was handled. */
async function sendEvents(
  subscriber: Subscriber,
  streamEpoch: StreamEpoch,
  events: Iterable<StoredEvent> | AsyncIterable<StoredEvent>,
  last: number,
  deadline: number,
): Promise<number> {
  for await (const event of events) {
    if (subscriber.matches(event)) subscriber.send(formatEvent(streamEpoch, event))
    const isKeepingUp = await subscriber.waitForDemand(SLOW_CLIENT_MS)
    if (!isKeepingUp || subscriber.isClosed || performance.now() > deadline) return event.sequence
  }
  return last
}

function unavailable(cause?: unknown): Problem {
  return new Problem('events_unavailable', { headers: { 'retry-after': '2' }, cause })
}

export function createWatchMetrics(create: Factory) {
  return {
    subscribers: create.gauge('console_watch_subscribers', 'Clients connected to the event stream'),
    cutOff: create.counter(
      'console_watch_subscribers_cut_off_total',
      'Clients of the event stream that were disconnected because they did not read',
    ),
  }
}
