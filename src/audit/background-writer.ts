import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { createSharedBudget } from '../platform/shared-budget.ts'
import type { TeamEvent } from './refusals.ts'

export interface BackgroundWriterOptions {
  /** Storing an event that is stored already has no effect. */
  insert: (events: TeamEvent[]) => Promise<void>
  countDropped: (count: number) => void
  log: Logger
  /** Of all teams together. */
  maxWaiting?: number
  batchSize?: number
  delayMs?: number
  retryMs?: number
}

/** Stores events in batches, so that requests do not wait for the database. While it is down, the events wait in memory; those that
 * find no room, and those of a process that is killed, are lost. */
export function createBackgroundWriter({
  insert,
  countDropped,
  log,
  maxWaiting = 10_000,
  batchSize = 500,
  delayMs = 100,
  retryMs = 1_000,
}: BackgroundWriterOptions) {
  const room = createSharedBudget(maxWaiting)
  let waiting: TeamEvent[] = []
  let dropped = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const drop = (count: number) => {
    dropped += count
    countDropped(count)
  }
  const reportDropped = () => {
    if (dropped > 0) log.error({ dropped }, 'audit events of service calls are lost')
    dropped = 0
  }
  /** Returns whether the batch is done with: stored, or refused for good. */
  const store = async (batch: TeamEvent[]): Promise<boolean> => {
    try {
      await insert(batch)
      isFailing = false
    } catch (error) {
      const isTemporary = error instanceof Problem
      if (!isFailing || !isTemporary) {
        log.error({ err: error, waiting: waiting.length }, 'cannot store audit events of service calls')
      }
      isFailing = true
      if (isTemporary) return false
      drop(batch.length)
    }
    return true
  }
  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      if (!(await store(batch))) return
      waiting = waiting.slice(batch.length)
      for (const { team_id } of batch) room.give(team_id, 1)
    }
  }
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => {
      writing = write().finally(() => {
        timer = undefined
        reportDropped()
        if (waiting.length > 0) schedule(retryMs)
      })
    }, ms)
  }

  return {
    add: (event: TeamEvent): void => {
      if (room.take(event.team_id, 1)) drop(1)
      else waiting.push(event)
      schedule(delayMs)
    },

    /** Stores what waits, with one attempt. */
    close: async (): Promise<void> => {
      clearTimeout(timer)
      await writing
      clearTimeout(timer)
      await write()
      drop(waiting.length)
      reportDropped()
    },
  }
}
