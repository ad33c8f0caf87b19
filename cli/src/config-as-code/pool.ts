import type { ConsoleError } from '@agent-console/sdk'
import { ConnectionFailed, TimedOut, Unavailable } from '@agent-console/sdk'
import type { Io } from '../io.ts'

const MAX_TRIES = 8
const MAX_WAIT_MS = 120_000
const MAX_BACKOFF_MS = 8_000

/** Runs requests, several at once. A console that is busy gets fewer of them. */
export interface Pool {
  /** Repeats a request that a busy console refused, or whose response was lost. `work` learns whether a response was lost before. */
  patiently: <T>(work: (isRepeated: boolean) => Promise<T>) => Promise<T>
  /** Does the work for each item. No more items are begun after `isStopped`, or after an error, which rejects at the end. */
  each: <T>(items: readonly T[], work: (item: T) => Promise<void>, isStopped: () => boolean) => Promise<void>
}

/** `say` tells the user why nothing happens for a while. */
export function createPool(
  concurrency: number,
  { sleep }: Pick<Io, 'sleep'>,
  say: (text: string) => void,
): Pool {
  let limit = concurrency
  /** Requests that were sent before the last change of the limit say nothing about the new one. */
  let changes = 0

  return {
    patiently: async (work) => {
      let isLost = false
      for (let tries = 1; ; tries++) {
        const begun = changes
        try {
          return await work(isLost)
        } catch (error) {
          const delay = delayMs(error, tries)
          if (delay === undefined || tries >= MAX_TRIES) throw error
          if (error instanceof Unavailable && begun === changes) {
            limit = Math.max(1, Math.floor(limit / 2))
            changes++
          }
          const { requestId, message } = error as ConsoleError
          // Only 429 says that nothing was done. Without a token nothing was sent.
          isLost ||= requestId !== undefined && !(error instanceof Unavailable && error.status === 429)
          const reason = error instanceof Unavailable ? 'The console is busy' : 'The console does not respond'
          say(`${requestId === undefined ? message : reason}. Trying again…`)
          await sleep(delay)
        }
      }
    },

    each: async (items, work, isStopped) => {
      const rest = items.values()
      const errors: unknown[] = []
      const worker = async (number: number) => {
        while (number < limit && errors.length === 0 && !isStopped()) {
          const { value, done } = rest.next()
          if (done) return
          await work(value).catch((error: unknown) => void errors.push(error))
        }
      }
      await Promise.all(Array.from({ length: Math.min(limit, items.length) }, (_, number) => worker(number)))
      if (errors.length > 0) throw errors[0]
    },
  }
}

/** Undefined if the same request cannot succeed later. */
function delayMs(error: unknown, tries: number): number | undefined {
  const isPassing = [Unavailable, ConnectionFailed, TimedOut].some((type) => error instanceof type)
  if (!isPassing || (error as { code?: string }).code?.endsWith('_not_configured')) return undefined
  const { retryAfterMs } = error as ConsoleError & { retryAfterMs?: number }
  if (retryAfterMs !== undefined) return retryAfterMs <= MAX_WAIT_MS ? retryAfterMs : undefined
  return Math.random() * Math.min(MAX_BACKOFF_MS, 250 * 2 ** tries)
}
