import { ApiError, type ConsoleError } from './errors.ts'

const PASSING_STATUSES = [408, 429, 502, 503, 504]

/** A caller waits no longer than this for a single call; a longer `retry-after` is reported instead. */
const MAX_WAIT_MS = 60_000
const MAX_BACKOFF_MS = 8_000

/** Whether the same request may succeed later. */
export function isPassing(error: ConsoleError): boolean {
  if (!(error instanceof ApiError)) return true
  // Only an operator changes this.
  if (error.code?.endsWith('_not_configured')) return false
  return PASSING_STATUSES.includes(error.status) && (error.retryAfterMs ?? 0) <= MAX_WAIT_MS
}

/** Whether the failed try may have made its change. */
export function isLost(error: ConsoleError): boolean {
  return !(error instanceof ApiError && error.status === 429)
}

/** The console knows better than the client when to come back; otherwise a random delay spreads the clients. */
export function delayMs(error: ConsoleError, attempt: number, baseMs: number): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  return asked ?? Math.random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** attempt)
}

export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
