import type { Headroom } from './headroom.ts'

/** Why an entry gets no place: its team already has its share of the queue, or all teams together have too much. */
export type QueueRefusal = 'own_share' | 'overloaded'

export interface QueueEntry {
  readonly team: string
  /** At most one entry of a team with this key has a place at a time. The others wait, and those behind them pass. */
  readonly key?: string | undefined
  /** The entry has a place, until `release` or `yield`. Runs within `enter` if a place is free. */
  onPlace: () => void
  /** The entry gets no place. Runs within `enter`, or later if the entry waited too long. */
  onRefusal: (cause: QueueRefusal) => void
}

/** Gives a limited number of places to teams in turn. A team alone can use all places. As in the API priority and fairness
 * of Kubernetes, each team has a queue, and both the length of the queues and the wait in them are limited. */
export interface FairQueue {
  /** Why an entry that enters now would be refused; undefined if it would not. */
  refusal: (team: string, key?: string) => QueueRefusal | undefined
  enter: (entry: QueueEntry) => void
  /** Removes a waiting entry. Has no effect on another one. */
  cancel: (entry: QueueEntry) => void
  /** Returns the place of an entry. Has no effect on an entry without a place. */
  release: (entry: QueueEntry) => void
  /** If other entries wait, returns the place of an entry, and lets the entry wait behind them for its next turn: later, one of
   * `onPlace` and `onRefusal` runs again. Returns whether it waits; if not, the entry keeps its place. */
  yield: (entry: QueueEntry) => boolean
  count: () => { running: number; waiting: number }
  /** How often a team had to wait for headroom. */
  holds: () => number
}

export interface FairQueueOptions {
  places: number
  /** Maximum number of waiting entries of all teams. When it is reached, an entry of a team with fewer waiting entries
   * replaces the oldest one of the team with the most. */
  maxWaiting: number
  /** Refuses entries that have waited longer, and at once those that will probably wait for more than half of it. The other
   * half is for the error of the prediction. The only waiting entry of a team is never refused at once for that: what other
   * teams do would decide whether this team gets its turn. */
  maxWaitMs: number
  /** The same for the next entry of each team: it waits for nothing but a place that another team holds, or briefly for headroom. */
  maxTurnMs?: number
  /** Every place comes back soon. If one was held for long, the process was paused, and that predicts nothing. */
  holdsAreShort?: boolean
  /** Limits the places of a team that dominates a busy thread. Absent: only the turns do. */
  headroom?: Headroom | undefined
  /** Milliseconds on a clock that never goes back. */
  now: () => number
}

interface Team {
  running: number
  waiting: number
  /** Entries that can take the next place, in this order. */
  ready: Set<QueueEntry>
  /** A key is present while an entry with it is running or ready. The set has the entries that wait for that one. */
  keys: Map<string, Set<QueueEntry>>
  /** Since when it has to wait for headroom. */
  heldSince: number | undefined
  /** When it last got a place after a wait, and the moving average of the times between. */
  servedAt: number
  meanGapMs: number
}

/** Weight of the newest time in a moving average. */
const NEWEST_WEIGHT = 0.1

/** How often the queue looks whether a held team may go on. */
const HOLD_CHECK_MS = 2

/** A held team gets a place after this time: it may not be the cause of the load. */
const MAX_HOLD_MS = 10

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const {
    places,
    maxWaiting,
    maxWaitMs,
    maxTurnMs = maxWaitMs,
    holdsAreShort = false,
    headroom,
    now,
  } = options
  const teams = new Map<string, Team>()
  /** The teams with a ready entry, in the order of their turns. */
  const turns = new Set<Team>()
  /** The teams with a ready entry that have to wait for headroom. */
  const held = new Set<Team>()
  /** The time at which each entry got its place. */
  const running = new Map<QueueEntry, number>()
  /** The time at which each entry came, the oldest first. */
  const waiting = new Map<QueueEntry, number>()
  let meanHoldMs = 0
  let holds = 0
  /** When a place was last given or returned. */
  let lastChangeAt = now()
  let isGiving = false
  let timer: NodeJS.Timeout | undefined
  let holdTimer: NodeJS.Timeout | undefined
  let nextCheckAt = Number.POSITIVE_INFINITY

  const hasHeadroom = (name: string) => {
    if (!headroom) return true
    const team = teams.get(name)
    if (team?.heldSince !== undefined && now() - team.heldSince >= MAX_HOLD_MS) return true
    return (team?.running ?? 0) < headroom.limit(name, places)
  }

  const isKeyFree = (name: string, key: string | undefined) =>
    key === undefined || !teams.get(name)?.keys.has(key)

  /** Nothing that is ready goes first, and there is a place. */
  const canStart = (name: string, key?: string) =>
    running.size < places &&
    turns.size === 0 &&
    teams.get(name)?.heldSince === undefined &&
    isKeyFree(name, key) &&
    hasHeadroom(name)

  /** The share of each team is the average of all teams. */
  const causeFor = (team: Team | undefined): QueueRefusal => {
    const share = (running.size + waiting.size) / teams.size
    const isHeld = team?.heldSince !== undefined
    return team && (isHeld || teams.size === 1 || team.running + team.waiting > share)
      ? 'own_share'
      : 'overloaded'
  }

  const findLongest = () => {
    let longest: Team | undefined
    for (const team of teams.values()) if (!longest || team.waiting > longest.waiting) longest = team
    return longest
  }

  const predictWaitMs = (team: Team | undefined, key?: string) => {
    const own = team?.ready.size ?? 0
    let ahead = own
    for (const other of turns) if (other !== team) ahead += Math.min(other.ready.size, own + 1)
    const aheadWithKey = key === undefined ? 0 : (team?.keys.get(key)?.size ?? 0)
    // If no place came back for some time, then it will probably take as long again until one does. The first entry of a
    // team may wait for that.
    const stalledMs = !holdsAreShort && own > 0 ? now() - lastChangeAt : 0
    return Math.max(
      running.size < places ? 0 : stalledMs + (ahead * meanHoldMs) / places,
      aheadWithKey * meanHoldMs,
      team?.heldSince === undefined ? 0 : own * team.meanGapMs,
    )
  }

  const refusalFor = (name: string, key?: string): QueueRefusal | undefined => {
    if (canStart(name, key)) return undefined
    const team = teams.get(name)
    const own = team?.waiting ?? 0
    const isFull = waiting.size >= maxWaiting && (findLongest()?.waiting ?? 0) <= own + 1
    const isTooLong = own > 0 && predictWaitMs(team, key) > maxWaitMs / 2
    return isFull || isTooLong ? causeFor(team) : undefined
  }

  const start = (team: Team, entry: QueueEntry) => {
    // What held places before the queue was idle predicts nothing.
    if (running.size === 0 && now() - lastChangeAt > maxWaitMs) meanHoldMs = 0
    lastChangeAt = now()
    running.set(entry, lastChangeAt)
    team.running++
    if (entry.key !== undefined && !team.keys.has(entry.key)) team.keys.set(entry.key, new Set())
    entry.onPlace()
  }

  const makeReady = (team: Team, entry: QueueEntry) => {
    team.ready.add(entry)
    if (team.heldSince === undefined) turns.add(team)
  }

  const wait = (team: Team, entry: QueueEntry) => {
    const since = now()
    waiting.set(entry, since)
    team.waiting++
    const sameKey = entry.key === undefined ? undefined : team.keys.get(entry.key)
    if (sameKey) sameKey.add(entry)
    else {
      if (entry.key !== undefined) team.keys.set(entry.key, new Set())
      makeReady(team, entry)
    }
    checkAt(since + maxWaitMs)
    if (running.size < places) giveSoon()
  }

  /** Lets the next entry with the key of this one become ready. */
  const freeKey = (team: Team, { key }: QueueEntry) => {
    if (key === undefined) return
    const sameKey = team.keys.get(key)
    const next = sameKey?.values().next().value
    if (next === undefined) team.keys.delete(key)
    else {
      sameKey?.delete(next)
      makeReady(team, next)
    }
  }

  const removeIfIdle = (name: string, team: Team) => {
    if (team.running + team.waiting === 0) teams.delete(name)
  }

  /** In a microtask, so that entries that return their place at once do not recurse. */
  const giveSoon = () => {
    if (turns.size === 0 || isGiving) return
    isGiving = true
    queueMicrotask(givePlaces)
  }

  const givePlaces = () => {
    isGiving = false
    // A team that is deleted and added again comes at the end, and the loop reaches it again.
    for (const team of turns) {
      if (running.size >= places) return
      const entry = team.ready.values().next().value as QueueEntry
      turns.delete(team)
      if (!hasHeadroom(entry.team)) {
        hold(team)
        continue
      }
      countGap(team)
      team.ready.delete(entry)
      if (team.ready.size > 0) turns.add(team)
      waiting.delete(entry)
      team.waiting--
      start(team, entry)
    }
  }

  const countGap = (team: Team) => {
    const gapMs = Math.min(now() - team.servedAt, MAX_HOLD_MS)
    team.meanGapMs += NEWEST_WEIGHT * (gapMs - team.meanGapMs)
    team.servedAt = now()
    team.heldSince = undefined
  }

  const hold = (team: Team) => {
    if (team.heldSince === undefined) {
      team.heldSince = now()
      holds++
    }
    held.add(team)
    holdTimer ??= setTimeout(() => {
      holdTimer = undefined
      for (const one of held) endHold(one)
      givePlaces()
    }, HOLD_CHECK_MS).unref()
  }

  /** It gets its turn, and then a place if there is headroom. */
  const endHold = (team: Team) => {
    if (held.delete(team)) turns.add(team)
  }

  const cancel = (entry: QueueEntry) => {
    if (!waiting.delete(entry)) return
    const team = teams.get(entry.team) as Team
    team.waiting--
    if (team.ready.delete(entry)) freeKey(team, entry)
    else team.keys.get(entry.key as string)?.delete(entry)
    if (team.ready.size === 0) {
      turns.delete(team)
      held.delete(team)
      team.heldSince = undefined
    }
    removeIfIdle(entry.team, team)
  }

  const refuse = (entry: QueueEntry) => {
    const cause = causeFor(teams.get(entry.team))
    cancel(entry)
    entry.onRefusal(cause)
  }

  const isNext = (entry: QueueEntry) => teams.get(entry.team)?.ready.values().next().value === entry

  /** One timer for all entries. */
  const checkAt = (at: number) => {
    if (at >= nextCheckAt) return
    clearTimeout(timer)
    nextCheckAt = at
    timer = setTimeout(refuseOld, Math.max(0, at - now())).unref()
  }

  const refuseOld = () => {
    nextCheckAt = Number.POSITIVE_INFINITY
    for (const [entry, since] of waiting) {
      const waitedMs = now() - since
      // The oldest come first.
      if (waitedMs < maxWaitMs) return checkAt(since + maxWaitMs)
      if (isNext(entry) && waitedMs < maxTurnMs) checkAt(since + maxTurnMs)
      else refuse(entry)
    }
  }

  const refuseOldestOfLongest = () => {
    const longest = findLongest()
    for (const entry of waiting.keys()) if (teams.get(entry.team) === longest) return refuse(entry)
  }

  const release = (entry: QueueEntry) => {
    const startedAt = running.get(entry)
    if (startedAt === undefined) return
    const team = teams.get(entry.team) as Team
    lastChangeAt = now()
    const heldMs = lastChangeAt - startedAt
    const counted = Math.min(heldMs, holdsAreShort ? 2 * meanHoldMs + 1 : maxWaitMs)
    meanHoldMs += NEWEST_WEIGHT * (counted - meanHoldMs)
    headroom?.count(entry.team, heldMs)
    running.delete(entry)
    team.running--
    endHold(team)
    freeKey(team, entry)
    removeIfIdle(entry.team, team)
    giveSoon()
  }

  return {
    refusal: refusalFor,
    enter: (entry) => {
      const cause = refusalFor(entry.team, entry.key)
      if (cause) return entry.onRefusal(cause)
      const canRun = canStart(entry.team, entry.key)
      if (!canRun && waiting.size >= maxWaiting) refuseOldestOfLongest()
      const team = teams.get(entry.team) ?? newTeam()
      teams.set(entry.team, team)
      if (canRun) start(team, entry)
      else wait(team, entry)
    },
    cancel,
    release,
    yield: (entry) => {
      const team = teams.get(entry.team)
      const waitForKey = entry.key === undefined ? 0 : (team?.keys.get(entry.key)?.size ?? 0)
      if (!team || !running.has(entry) || turns.size + waitForKey === 0) return false
      release(entry)
      teams.set(entry.team, team)
      wait(team, entry)
      return true
    },
    count: () => ({ running: running.size, waiting: waiting.size }),
    holds: () => holds,
  }
}

function newTeam(): Team {
  return {
    ...{ running: 0, waiting: 0, ready: new Set(), keys: new Map() },
    ...{ heldSince: undefined, servedAt: 0, meanGapMs: 0 },
  }
}
