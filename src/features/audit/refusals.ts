import type { Refusal } from '../../api/caller.ts'
import type { AuditEvent } from './schema.ts'

export interface RefusalsOptions {
  /** Never rejects. */
  store: (event: TeamEvent) => Promise<void>
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
  windowMs?: number
  maxWindows?: number
}

/** As it is stored. The name of the user is stored elsewhere, and the reason of a change is part of `detail` or of the revision. */
export type TeamEvent = Omit<AuditEvent, 'changed_by_name' | 'reason'> & { team_id: string }

/** Refusals of one caller for one operation since its last audit event. */
interface Window {
  endsAtMs: number
  count: number
  sinceMs: number
  last: Refusal
  isOneAgent: boolean
}

/** How often a window is looked at in its time. */
const SWEEPS = 12

/** Limits the audit events of one caller. The first refusal of an operation is stored at once; further ones within a minute
 * are counted and stored as one event. A process that is killed loses at most the counts of that minute. */
export function createRefusals({
  store,
  now,
  newId,
  windowMs = 60_000,
  maxWindows = 10_000,
}: RefusalsOptions) {
  /** In the order of their ends. */
  const windows = new Map<string, Window>()

  const open = (key: string, last: Refusal) => {
    const sinceMs = now()
    windows.set(key, { endsAtMs: sinceMs + windowMs, count: 0, sinceMs, last, isOneAgent: true })
  }
  const toEvent = ({ caller, permission, method, route, agentId }: Refusal, detail: object): TeamEvent => ({
    team_id: caller.teamId,
    id: newId(),
    at: Math.floor(now() / 1_000),
    user_id: caller.userId,
    action: 'permission_refused',
    agent_id: agentId,
    request_id: caller.requestId,
    via: caller.via,
    client_id: caller.clientId,
    detail: { permission, method, route, ...detail },
  })
  /** Closes the window, and returns the event of what it counted. */
  const close = (key: string, { count, sinceMs, last, isOneAgent }: Window): TeamEvent[] => {
    windows.delete(key)
    if (count === 0) return []
    const agentId = isOneAgent ? last.agentId : null
    return [toEvent({ ...last, agentId }, { count, since: Math.floor(sinceMs / 1_000) })]
  }
  const closeEnded = () => {
    const events: TeamEvent[] = []
    const nowMs = now()
    for (const [key, window] of windows) {
      if (window.endsAtMs > nowMs) break
      events.push(...close(key, window))
      // A caller that goes on gets one event for each window.
      if (window.count > 0) open(key, window.last)
    }
    return events
  }

  const storeAll = async (events: TeamEvent[]) => void (await Promise.all(events.map(store)))

  const sweeping = setInterval(() => void storeAll(closeEnded()), windowMs / SWEEPS)
  sweeping.unref()

  return {
    record: async (refusal: Refusal): Promise<void> => {
      const { caller, permission, method, route, agentId } = refusal
      const key = JSON.stringify([caller.teamId, caller.userId, permission, method, route])
      const window = windows.get(key)
      if (window) {
        if (window.count === 0) Object.assign(window, { sinceMs: now(), isOneAgent: true })
        else if (window.last.agentId !== agentId) window.isOneAgent = false
        window.count += 1
        window.last = refusal
        return
      }
      const [oldest] = windows.size >= maxWindows ? windows : []
      const evicted = oldest ? close(...oldest) : []
      open(key, refusal)
      await storeAll([...evicted, toEvent(refusal, {})])
    },

    /** Stores what is counted. */
    close: async (): Promise<void> => {
      clearInterval(sweeping)
      await storeAll([...windows].flatMap(([key, window]) => close(key, window)))
    },
  }
}
