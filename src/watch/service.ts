import type { Readable } from 'node:stream'
import { Problem } from '../contract/problem.ts'
import type { EventStream, StoredEvent } from '../platform/event-stream.ts'
import type { Caller } from '../platform/identity.ts'
import type { Metrics } from '../platform/metrics.ts'
import { scheduleAt } from '../platform/schedule.ts'
import type { Feed } from './feed.ts'
import { eventFrame, positionFrame } from './frames.ts'
import { isKept, type Position, parsePosition } from './position.ts'
import { createTurns } from './turns.ts'
import { Watcher } from './watcher.ts'

export interface WatchDeps {
  /** Undefined where no NATS is configured. */
  feed: Feed | undefined
  stream: Pick<EventStream, 'state' | 'read'> | undefined
  metrics: Metrics
  /** Milliseconds since the epoch. */
  now: () => number
}

export interface WatchOptions {
  agentIds: string[] | undefined
  lastEventId: string | undefined
  /** When the caller's token does, in seconds since the epoch. */
  expiresAt: number
}

export type Watch = ReturnType<typeof createWatch>

/** So few can be told without waiting for the reader. */
const FEW = 100

/** How many may read what is no longer in memory at once, and how long before the next in line do. Whoever does not
 * keep up leaves sooner, or a few who are slow would keep everybody else waiting. */
const READERS = 16
const TURN_MS = 1_000
const KEEP_UP_MS = 50

const READ_WITHIN_MS = 10_000

export function createWatch({ feed, stream, metrics, now }: WatchDeps) {
  const inTurn = createTurns(READERS)
  const measures = metrics.watch()

  /** Where to go on. An older position than is kept is refused: something would be missing. */
  const findStart = async (lastEventId: string | undefined): Promise<Position> => {
    const current = feed?.now()
    if (!current || !stream) throw unavailable()
    const { madeAt, recent } = current
    if (lastEventId === undefined) return { madeAt, sequence: recent.lastSequence }
    const position = parsePosition(lastEventId)
    const isInMemory =
      position.sequence + 1 >= recent.firstSequence && position.sequence <= recent.lastSequence
    if (position.madeAt === madeAt && isInMemory) return position
    const stored = await stream.state().catch((error: unknown) => {
      throw unavailable(error)
    })
    if (!isKept(position, stored)) throw new Problem('position_expired')
    return position
  }

  /** Tells what came after the start, from the stream and then from memory, until so little is left that the
   * watcher can be attached without missing any. */
  const catchUp = async (watcher: Watcher, start: Position) => {
    let { sequence } = start
    while (!watcher.isGone) {
      const current = feed?.now()
      if (!feed || !stream || current?.madeAt !== start.madeAt) return watcher.end()
      const { recent, madeAt } = current
      if (sequence + 1 < recent.firstSequence) {
        const [first, last] = [sequence + 1, recent.firstSequence - 1]
        sequence = await inTurn(async () => {
          // They may have waited long.
          if (watcher.isGone) return last
          const events = stream.read(watcher.interest.teamId, first, last, watcher.gone)
          return tell(watcher, madeAt, events, last, performance.now() + TURN_MS)
        })
      } else {
        const missed = recent.after(sequence)
        if (missed.length <= FEW) return feed.attach(watcher, sequence + 1)
        sequence = await tell(watcher, madeAt, missed, recent.lastSequence, Number.POSITIVE_INFINITY)
      }
      // Between many events that are of no interest to this watcher, the connection must not seem dead.
      watcher.send(positionFrame(start.madeAt, sequence, 'catching up'))
      if (!(await watcher.wantsMore(READ_WITHIN_MS))) watcher.cutOff()
    }
  }

  return {
    /** The answer to one who watches: server-sent events for as long as the token is valid. */
    async open(caller: Caller, { agentIds, lastEventId, expiresAt }: WatchOptions): Promise<Readable> {
      const start = await findStart(lastEventId)
      const watcher = new Watcher({
        teamId: caller.teamId,
        agentIds: agentIds && new Set(agentIds),
        after: start.sequence,
      })
      const expiry = scheduleAt(now, expiresAt * 1_000, () => watcher.end())
      const closed = measures.addSubscriber()
      watcher.answer.once('close', () => {
        expiry.cancel()
        closed(watcher.wasCutOff)
      })
      watcher.send(positionFrame(start.madeAt, start.sequence, 'watching'))
      // One who cannot be told everything is cut off, and comes back.
      catchUp(watcher, start).catch(() => watcher.answer.destroy())
      return watcher.answer
    },
  }
}

/** Tells events up to the last, unless the deadline passes or the watcher does not keep up. Answers how far it got. */
async function tell(
  watcher: Watcher,
  madeAt: number,
  events: Iterable<StoredEvent> | AsyncIterable<StoredEvent>,
  last: number,
  deadline: number,
): Promise<number> {
  for await (const event of events) {
    if (watcher.wants(event)) watcher.send(eventFrame(madeAt, event))
    const keepsUp = await watcher.wantsMore(KEEP_UP_MS)
    if (!keepsUp || watcher.isGone || performance.now() > deadline) return event.sequence
  }
  return last
}

function unavailable(cause?: unknown): Problem {
  return new Problem('events_unavailable', { headers: { 'retry-after': '2' }, cause })
}
