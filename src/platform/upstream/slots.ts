import { createFairQueue, type QueueEntry, type QueueRefusal } from '../fairness/fair-queue.ts'

/** A request that needs one of the slots of an upstream. */
export interface SlotRequest {
  readonly team: string
  /** The request has a slot, until `leave`. */
  onSlot: () => void
  onRefusal: (cause: QueueRefusal) => void
  isWaiting: () => boolean
  /** Since when a request with a slot waits for its client to send or to read; undefined if it does not. Unless it is urgent, only
   * if the client hardly does either. */
  clientStalledSince: (isUrgent: boolean) => number | undefined
  /** Ends the request, because another team needs the slot. */
  giveUpSlot: () => void
}

/** Limits the requests in flight to one upstream. Not a connection limit: event streams stay open for hours and would use it
 * up. An event stream returns its slot when its response begins. */
export interface Slots {
  enter: (request: SlotRequest) => void
  /** Removes a waiting request, and returns the slot of one that has it. */
  leave: (request: SlotRequest) => void
}

/** Requests that wait for a slot, of all teams. */
const MAX_WAITING = 1_024

/** How often a waiting team looks whether another one has stalled. */
const STALL_CHECK_MS = 100

/** Slots go to the teams in turn. A team that holds more than its share while another waits loses those whose clients hardly
 * send or read: they could hold their slots for hours. When the other team has waited for half of its time, it also loses those
 * that wait for their clients only now. */
export function createSlots(count: number, maxWaitMs: number): Slots {
  const entries = new Map<SlotRequest, QueueEntry & { since: number }>()
  /** The requests with a slot, by team. */
  const holders = new Map<string, Set<SlotRequest>>()
  let timer: NodeJS.Timeout | undefined
  const queue = createFairQueue({
    places: count,
    maxWaiting: MAX_WAITING,
    maxWaitMs,
    now: () => performance.now(),
  })

  /** The longest stalled request of the teams that hold more than their share. */
  const findStalled = (team: string, isUrgent: boolean): SlotRequest | undefined => {
    const share = count / (holders.has(team) ? holders.size : holders.size + 1)
    if ((holders.get(team)?.size ?? 0) >= share) return undefined
    let longest: SlotRequest | undefined
    let since = Number.POSITIVE_INFINITY
    for (const requests of holders.values()) {
      if (requests.size <= share) continue
      for (const request of requests) {
        const stalledSince = request.clientStalledSince(isUrgent) ?? since
        if (stalledSince >= since) continue
        longest = request
        since = stalledSince
      }
    }
    return longest
  }
  const makeRoom = (request: SlotRequest) => {
    const entry = entries.get(request)
    if (!entry || !request.isWaiting()) return
    const stalled = findStalled(request.team, performance.now() - entry.since > maxWaitMs / 2)
    if (!stalled) return checkLater()
    stalled.giveUpSlot()
    // The slot may have gone to another team, whose turn it was.
    setImmediate(makeRoom, request)
  }

  const checkLater = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      const firstOfTeams = new Map<string, SlotRequest>()
      for (const request of entries.keys())
        if (request.isWaiting() && !firstOfTeams.has(request.team)) firstOfTeams.set(request.team, request)
      for (const request of firstOfTeams.values()) makeRoom(request)
    }, STALL_CHECK_MS).unref()
  }

  const removeHolder = (request: SlotRequest) => {
    const ofTeam = holders.get(request.team)
    ofTeam?.delete(request)
    if (ofTeam?.size === 0) holders.delete(request.team)
  }

  return {
    enter: (request) => {
      const { team } = request
      const entry = {
        team,
        since: performance.now(),
        onPlace: () => {
          holders.set(team, (holders.get(team) ?? new Set()).add(request))
          request.onSlot()
        },
        onRefusal: (cause: QueueRefusal) => {
          entries.delete(request)
          request.onRefusal(cause)
        },
      }
      entries.set(request, entry)
      queue.enter(entry)
      makeRoom(request)
    },
    leave: (request) => {
      const entry = entries.get(request)
      if (!entry || !entries.delete(request)) return
      removeHolder(request)
      queue.cancel(entry)
      queue.release(entry)
    },
  }
}
