import { createSharedBudget } from '../platform/fairness/shared-budget.ts'
import type { TeamEvent } from './refusals.ts'

export interface SerialStoreOptions {
  /** Never throws. Returns whether all events are stored. */
  insert: (events: TeamEvent[]) => Promise<boolean>
  /** The team has no room for the event. */
  onLost: (event: TeamEvent) => void
  /** Of all teams together. */
  maxWaiting?: number
}

/** Stores events one batch after the other: what comes during a batch is in the next one. So requests that are refused
 * take one connection, however many they are. */
export function createSerialStore({ insert, onLost, maxWaiting = 10_000 }: SerialStoreOptions) {
  const room = createSharedBudget(maxWaiting)
  let waiting: TeamEvent[] = []
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<boolean> | undefined

  const storeWaiting = async () => {
    const batch = waiting
    waiting = []
    next = undefined
    const storing = insert(batch)
    current = storing
    const isStored = await storing
    for (const { team_id } of batch) room.give(team_id, 1)
    return isStored
  }

  /** Returns whether all events are stored. */
  return async (events: TeamEvent[]): Promise<boolean> => {
    let isLost = false
    for (const event of events) {
      if (room.take(event.team_id, 1) === undefined) waiting.push(event)
      else {
        isLost = true
        onLost(event)
      }
    }
    if (waiting.length > 0) next ??= current.then(storeWaiting)
    return (await next) !== false && !isLost
  }
}
