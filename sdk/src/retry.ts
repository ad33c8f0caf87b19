import { ConnectionFailed, type ConsoleError, TimedOut, Unavailable } from './errors.ts'

/** A caller waits no longer than this for a single call; a longer `retry-after` is reported instead. */
const MAX_WAIT_MS = 60_000
const MAX_BACKOFF_MS = 8_000

/** Whether the same request may succeed later. */
export function isPassing(error: ConsoleError): boolean {
  if (!(error instanceof Unavailable)) return error instanceof ConnectionFailed || error instanceof TimedOut
  // Only an operator changes what is not configured.
  return !error.code?.endsWith('_not_configured') && (error.retryAfterMs ?? 0) <= MAX_WAIT_MS
}

/** Whether the failed try may have made its change. An error without a request id comes from the token function: nothing was sent. */
export function isLost(error: ConsoleError): boolean {
  return error.requestId !== undefined && !(error instanceof Unavailable && error.status === 429)
}

/** The console knows better than the client when to come back; otherwise a random delay spreads the clients. */
export function delayMs(error: ConsoleError, attempt: number, baseMs: number): number {
  const asked = error instanceof Unavailable ? error.retryAfterMs : undefined
  return asked ?? Math.random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** attempt)
}

export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await untilAborted(slept, signal).finally(() => clearTimeout(timer))
}

/** Rejects with the reason of the signal as soon as it is aborted. */
export async function untilAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  return Promise.race([aborted, promise]).finally(() => signal?.removeEventListener('abort', stop))
}
