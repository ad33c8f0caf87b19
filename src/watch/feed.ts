import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream, StoredEvent, StoredStream } from '../platform/event-stream.ts'
import { eventFrame, positionFrame } from './frames.ts'
import { RecentEvents } from './recent.ts'
import type { Watcher } from './watcher.ts'

export interface FeedState {
  madeAt: number
  recent: RecentEvents
}

export interface Feed {
  /** Undefined while the stream could not be read yet, and once it ends. */
  now: () => FeedState | undefined
  /** Tells the watcher what is in memory from a sequence on, and then whatever comes. */
  attach: (watcher: Watcher, firstSequence: number) => void
  close: () => Promise<void>
}

/** Shorter than the idle time of common proxies. */
const HEART_BEAT_MS = 15_000

const RETRY_MS = 500
/** How soon it is noticed that NATS is connected. */
const LOOK_MS = 50

/** How much of what was before is read at the start: those who watched the replica that was here before come back
 * with positions of a moment ago. */
const READ_BACK = 1_000

/** Follows the whole stream, once for all who watch in this process. */
export function startFeed(
  stream: Pick<EventStream, 'isUp' | 'ensure' | 'state' | 'follow'>,
  log: Logger,
): Feed {
  const ending = new AbortController()
  const watchers = new Map<string, Set<Watcher>>()
  let current: FeedState | undefined
  let following = new AbortController()
  let isFailing = false

  const everybody = () => [...watchers.values()].flatMap((ofTeam) => [...ofTeam])

  /** What comes next does not follow on what was told: whoever watches comes back and is told what there is. */
  const beginAt = (madeAt: number, firstSequence: number) => {
    current = { madeAt, recent: new RecentEvents(firstSequence) }
    for (const watcher of everybody()) watcher.end()
    return current
  }

  const accept = (madeAt: number, event: StoredEvent) => {
    let recent = current?.recent ?? beginAt(madeAt, event.sequence).recent
    if (event.sequence <= recent.lastSequence) return
    // Somebody removed events from the stream, or they expired before they were read here.
    if (event.sequence > recent.lastSequence + 1) recent = beginAt(madeAt, event.sequence).recent
    recent.add(event)
    let frame: Buffer | undefined
    for (const watcher of watchers.get(event.teamId) ?? []) {
      if (!watcher.wants(event)) continue
      frame ??= eventFrame(madeAt, event)
      watcher.send(frame)
    }
  }

  const follow = async () => {
    const stored = await stream.ensure()
    isFailing = false
    const { recent } = continues(current, stored)
      ? current
      : beginAt(stored.madeAt, Math.max(stored.firstSequence, stored.lastSequence + 1 - READ_BACK))
    following = new AbortController()
    const signal = AbortSignal.any([ending.signal, following.signal])
    for await (const event of stream.follow(recent.lastSequence + 1, signal)) accept(stored.madeAt, event)
  }

  const run = async () => {
    while (!ending.signal.aborted) {
      if (!stream.isUp()) {
        await sleep(LOOK_MS, undefined, { signal: ending.signal }).catch(() => {})
        continue
      }
      await follow().catch((error: unknown) => {
        if (!isFailing) log.warn({ err: error }, 'the stream of events cannot be read; trying on')
        isFailing = true
      })
      await sleep(RETRY_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  /** Keeps connections open, and positions of quiet teams from growing old. */
  const beat = () => {
    if (!current) return
    const { madeAt, recent } = current
    const frame = positionFrame(madeAt, recent.lastSequence, 'heart-beat')
    for (const watcher of everybody()) {
      // One who came from a replica that is ahead of this one must not be set back.
      const isAhead = watcher.interest.after > recent.lastSequence
      watcher.send(isAhead ? positionFrame(madeAt, watcher.interest.after, 'heart-beat') : frame)
    }
  }

  /** A stream that has more than arrived here since the last look is followed anew. */
  let lastSeen = 0
  const lookAfter = async () => {
    const stored = await stream.state()
    if (!current) return
    const { lastSequence } = current.recent
    const isStuck = stored.lastSequence > lastSequence && lastSequence === lastSeen
    if (isStuck || stored.madeAt !== current.madeAt) following.abort()
    lastSeen = lastSequence
  }

  const running = run()
  const heart = setInterval(() => {
    beat()
    lookAfter().catch(() => {})
  }, HEART_BEAT_MS)
  heart.unref()

  // Whoever comes while it ends would keep the replica from ending.
  const now = () => (ending.signal.aborted ? undefined : current)

  return {
    now,
    attach: (watcher, firstSequence) => {
      const state = now()
      if (!state) return watcher.end()
      const { madeAt, recent } = state
      for (const event of recent.after(firstSequence - 1)) {
        if (watcher.wants(event)) watcher.send(eventFrame(madeAt, event))
      }
      const { teamId } = watcher.interest
      const ofTeam = watchers.get(teamId) ?? new Set()
      watchers.set(teamId, ofTeam.add(watcher))
      watcher.answer.once('close', () => {
        ofTeam.delete(watcher)
        if (ofTeam.size === 0) watchers.delete(teamId)
      })
    },
    close: async () => {
      clearInterval(heart)
      ending.abort()
      for (const watcher of everybody()) watcher.end()
      await running
    },
  }
}

/** Whether what the stream has next follows on what was read of it. */
function continues(current: FeedState | undefined, stored: StoredStream): current is FeedState {
  if (current?.madeAt !== stored.madeAt) return false
  const { lastSequence } = current.recent
  return lastSequence <= stored.lastSequence && lastSequence + 1 >= stored.firstSequence
}
