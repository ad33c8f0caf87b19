import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream, StoredEvent, StoredStream } from '../../platform/nats/stream.ts'
import { formatEvent, formatPositionOnly, type Subscriber } from './subscriber.ts'

export interface BroadcasterState {
  createdAt: number
  /** The highest epoch that was read. */
  epoch: number
  recent: RecentEvents
}

export interface BroadcasterOptions {
  stream: Pick<EventStream, 'isUp' | 'ensure' | 'state' | 'lastEpoch' | 'follow'>
  log: Logger
  /** The epoch of the database, for a stream without messages. */
  readEpoch: () => Promise<number>
  /** Called with each new event, of any team. */
  onEvent: (event: StoredEvent) => void
}

/** Shorter than the idle timeout of common proxies. */
const HEARTBEAT_MS = 15_000

const RETRY_MS = 500

/** The NATS client does not always end a consumer that is stopped while it recreates itself. Closing the connection
 * does. */
const CLOSE_TIMEOUT_MS = 2_000
/** How often to check for a connection to NATS. */
const CONNECTION_POLL_MS = 50

/** Events to load at the start: the clients of a replica that was just replaced resume from recent positions. */
const PRELOADED_EVENTS = 1_000

/** After this many bytes the sockets get a turn: a client that reads must not be cut off because events arrive faster
 * than the process sends. */
const MAX_BURST_BYTES = 64 * 1024

/** Follows the whole stream once and sends its events to all subscribers of this process. */
export class Broadcaster {
  readonly #options: BroadcasterOptions
  readonly #closing = new AbortController()
  readonly #subscribers = new Map<string, Set<Subscriber>>()
  readonly #running: Promise<void>
  readonly #heartbeat: NodeJS.Timeout
  #current: BroadcasterState | undefined
  #following = new AbortController()
  #isFailing = false
  /** Messages that the console has not published, since they were logged. */
  #ignored = 0
  /** The last sequence at the last check. */
  #lastSeen = 0

  constructor(options: BroadcasterOptions) {
    this.#options = options
    this.#running = this.#run()
    this.#heartbeat = setInterval(() => {
      this.#sendHeartbeat()
      this.#reportIgnored()
      this.#restartIfStuck().catch(() => {})
    }, HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Undefined until the stream has been read, and while closing: a new subscriber would delay the shutdown. */
  now(): BroadcasterState | undefined {
    return this.#closing.signal.aborted ? undefined : this.#current
  }

  /** Sends the events in memory from a sequence on, and then every new one. */
  attach(subscriber: Subscriber, firstSequence: number): void {
    const state = this.now()
    if (!state) return subscriber.end()
    for (const event of state.recent.after(firstSequence - 1)) {
      if (subscriber.matches(event)) subscriber.send(formatEvent(state, event))
    }
    const { teamId } = subscriber.filter
    const ofTeam = this.#subscribers.get(teamId) ?? new Set()
    this.#subscribers.set(teamId, ofTeam.add(subscriber))
    subscriber.body.once('close', () => {
      ofTeam.delete(subscriber)
      if (ofTeam.size === 0) this.#subscribers.delete(teamId)
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#reportIgnored()
    this.#closing.abort()
    for (const subscriber of this.#allSubscribers()) subscriber.end()
    await Promise.race([this.#running, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
  }

  async #run(): Promise<void> {
    const { stream, log } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted) {
      if (!stream.isUp()) {
        await sleep(CONNECTION_POLL_MS, undefined, { signal }).catch(() => {})
        continue
      }
      await this.#follow().catch((error: unknown) => {
        if (!this.#isFailing) log.warn({ err: error }, 'cannot read the event stream; retrying')
        this.#isFailing = true
      })
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #follow(): Promise<void> {
    const { stream, readEpoch } = this.#options
    const stored = await stream.ensure()
    let state = continues(this.#current, stored)
      ? this.#current
      : this.#restartAt(
          stored.createdAt,
          (await stream.lastEpoch(stored)) ?? (await readEpoch()),
          Math.max(stored.firstSequence, stored.lastSequence + 1 - PRELOADED_EVENTS),
        )
    this.#isFailing = false
    this.#following = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, this.#following.signal])
    let burstBytes = 0
    for await (const event of stream.follow(state.recent.lastSequence + 1, signal)) {
      state = this.#accept(state, event)
      burstBytes += event.json.length
      if (burstBytes < MAX_BURST_BYTES) continue
      await nextTurn()
      burstBytes = 0
    }
  }

  #accept(state: BroadcasterState, event: StoredEvent): BroadcasterState {
    const { createdAt, recent } = state
    if (event.sequence <= recent.lastSequence) return state
    if (event.epoch === undefined) this.#ignored += 1
    const epoch = Math.max(state.epoch, event.epoch ?? 0)
    // Events were deleted from the stream, or expired before this process read them. In a new epoch every client must
    // list the agents again.
    const isNext = event.sequence === recent.lastSequence + 1 && epoch === state.epoch
    const next = isNext ? state : this.#restartAt(createdAt, epoch, event.sequence)
    next.recent.add(event)
    this.#options.onEvent(event)
    let frame: Buffer | undefined
    for (const subscriber of this.#subscribers.get(event.teamId) ?? []) {
      if (!subscriber.matches(event)) continue
      frame ??= formatEvent(next, event)
      subscriber.send(frame)
    }
    return next
  }

  /** The next events do not continue those already sent: ends all subscribers, which resume by Last-Event-ID. */
  #restartAt(createdAt: number, epoch: number, firstSequence: number): BroadcasterState {
    this.#current = { createdAt, epoch, recent: new RecentEvents(firstSequence) }
    for (const subscriber of this.#allSubscribers()) subscriber.end()
    return this.#current
  }

  /** Keeps connections open, and gives the clients of quiet teams a recent position. */
  #sendHeartbeat(): void {
    const current = this.#current
    if (!current) return
    const { recent } = current
    const frame = formatPositionOnly(current, recent.lastSequence, 'heartbeat')
    for (const subscriber of this.#allSubscribers()) {
      // The client may come from a replica that has read more events: do not set it back.
      const isAhead = subscriber.filter.after > recent.lastSequence
      subscriber.send(isAhead ? formatPositionOnly(current, subscriber.filter.after, 'heartbeat') : frame)
    }
  }

  #reportIgnored(): void {
    const { log } = this.#options
    const ignored = this.#ignored
    if (ignored > 0) log.warn({ ignored }, 'ignored messages in NATS that the console has not published')
    this.#ignored = 0
  }

  /** Follows the stream again if it was replaced, or if it has new events and none has arrived since the last check. */
  async #restartIfStuck(): Promise<void> {
    const stored = await this.#options.stream.state()
    if (!this.#current) return
    const { createdAt, recent } = this.#current
    const isStuck = stored.lastSequence > recent.lastSequence && recent.lastSequence === this.#lastSeen
    if (isStuck || stored.createdAt !== createdAt) this.#following.abort()
    this.#lastSeen = recent.lastSequence
  }

  #allSubscribers(): Subscriber[] {
    return [...this.#subscribers.values()].flatMap((ofTeam) => [...ofTeam])
  }
}

/** Whether the next event of the stream directly follows the last one that was read. */
function continues(current: BroadcasterState | undefined, stored: StoredStream): current is BroadcasterState {
  if (current?.createdAt !== stored.createdAt) return false
  const { lastSequence } = current.recent
  return lastSequence <= stored.lastSequence && lastSequence + 1 >= stored.firstSequence
}

const MAX_EVENTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/** The newest events of the stream, without a gap. Most clients that reconnect were away for a moment and get what they
 * missed from here. */
export class RecentEvents {
  firstSequence: number
  lastSequence: number
  /** Each at its sequence modulo the length, so that a new event takes the place of the oldest one. */
  readonly #events: (StoredEvent | undefined)[] = Array.from({ length: MAX_EVENTS })
  #bytes = 0

  constructor(firstSequence: number) {
    this.firstSequence = firstSequence
    this.lastSequence = firstSequence - 1
  }

  /** The event that follows the last one. */
  add(event: StoredEvent): void {
    if (this.lastSequence - this.firstSequence + 1 === MAX_EVENTS) this.#dropOldest()
    this.lastSequence = event.sequence
    this.#events[event.sequence % MAX_EVENTS] = event
    this.#bytes += event.json.length
    while (this.#bytes > MAX_BYTES) this.#dropOldest()
  }

  after(sequence: number): StoredEvent[] {
    const events: StoredEvent[] = []
    for (let next = Math.max(sequence + 1, this.firstSequence); next <= this.lastSequence; next++) {
      const event = this.#events[next % MAX_EVENTS]
      if (event) events.push(event)
    }
    return events
  }

  #dropOldest(): void {
    const index = this.firstSequence % MAX_EVENTS
    this.#bytes -= this.#events[index]?.json.length ?? 0
    this.#events[index] = undefined
    this.firstSequence += 1
  }
}
