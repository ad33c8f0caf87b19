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
  broadcaster: Broadcaster | undefined
  stream: Pick<EventStream, 'state' | 'lastEpoch' | 'read'> | undefined
  metrics: Metrics
  /** Event streams of all teams together. */
  maxStreams?: number
}

export interface WatchOptions {
  agentIds: string[] | undefined
  lastEventId: string | undefined
  /** Ends the stream with the token of the request. */
  endWithToken: (end: () => void) => () => void
}

export type Watch = ReturnType<typeof createWatch>

/** Up to this many events are sent without waiting for the client. */
const MAX_EVENTS_AT_ONCE = 100

/** Limits for reading events that are no longer in memory. A slow client gives up its place sooner, so that a few slow
 * clients do not delay the others. */
const MAX_CONCURRENT_READS = 16
const MAX_READ_MS = 1_000
const SLOW_CLIENT_MS = 50

const CLIENT_TIMEOUT_MS = 10_000

export function createWatch({ broadcaster, stream, metrics, maxStreams = 5_000 }: WatchDeps) {
  const reads = new Turns({ places: MAX_CONCURRENT_READS, maxWaitMs: CLIENT_TIMEOUT_MS })
  const streams = new Share(maxStreams)
  const watchMetrics = metrics.of(createWatchMetrics)

  /** Throws if the stream no longer has every event after the position. */
  const findStart = async (lastEventId: string | undefined): Promise<Position> => {
    if (!broadcaster || !stream) {
      throw new Problem('events_not_configured', { headers: { 'retry-after': '60' } })
    }
    const current = broadcaster.now()
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

  /** Sends the missed events, from the stream and then from memory, until at most MAX_EVENTS_AT_ONCE are left,
   * which the broadcaster sends when it takes over. */
  const catchUp = async (subscriber: Subscriber, start: Position) => {
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
        await reads.enter(teamId)
        try {
          // The client may have disconnected while it waited.
          if (subscriber.isClosed) return
          const events = stream.read(teamId, first, last, subscriber.closeSignal)
          sequence = await sendEvents(subscriber, start, events, last, performance.now() + MAX_READ_MS)
        } finally {
          reads.leave(teamId)
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

  return {
    /** Returns server-sent events, until the token is no longer valid. */
    async open(caller: Caller, { agentIds, lastEventId, endWithToken }: WatchOptions): Promise<Readable> {
      const { teamId } = caller
      streams.take(teamId)
      const start = await findStart(lastEventId).catch((error: unknown) => {
        streams.give(teamId)
        throw error
      })
      const subscriber = new Subscriber({
        teamId,
        agentIds: agentIds && new Set(agentIds),
        after: start.sequence,
      })
      const release = endWithToken(() => subscriber.end())
      const removeSubscriber = watchMetrics.addSubscriber()
      subscriber.body.once('close', () => {
        streams.give(teamId)
        release()
        removeSubscriber(subscriber.wasCutOff)
      })
      subscriber.send(formatPositionOnly(start, start.sequence, 'watching'))
      // After an error the client reconnects and resumes.
      catchUp(subscriber, start).catch(() => subscriber.body.destroy())
      return subscriber.body
    },
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
  const subscribers = create.gauge('console_watch_subscribers', 'Clients connected to the event stream')
  const cutOff = create.counter(
    'console_watch_subscribers_cut_off_total',
    'Clients of the event stream that were disconnected because they did not read',
  )
  return {
    /** Returns the function to call when the subscriber disconnects. */
    addSubscriber: () => {
      subscribers.inc()
      return (wasCutOff: boolean) => {
        subscribers.dec()
        if (wasCutOff) cutOff.inc()
      }
    },
  }
}
