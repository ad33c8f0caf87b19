/** How an AsyncDisposableStack closes what it adopts. */
export async function close(resource: { close: () => unknown }): Promise<void> {
  await resource.close()
}

/** Runs `work` at most once at a time: calls that come meanwhile get the same result. */
export function coalesce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}

/** Returns a function that is built when it is first called: a start does not wait for what no request has asked for
 * yet. */
export function onFirstUse<Work extends (value: never) => unknown>(build: () => Work): Work {
  let built: Work | undefined
  return ((value: never) => {
    built ??= build()
    return built(value)
  }) as Work
}

/** Resolves to `fallback` if the work takes longer than `ms`. Does not cancel the work. */
export async function withTimeout<T, Fallback>(
  ms: number,
  work: Promise<T>,
  fallback: Fallback,
): Promise<T | Fallback> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Fallback>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The longest delay that setTimeout supports. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Calls `action` at a time in milliseconds since the epoch. */
export function scheduleAt(now: () => number, atMs: number, action: () => void): { cancel: () => void } {
  let timer: NodeJS.Timeout
  const wait = () => {
    const leftMs = atMs - now()
    timer = leftMs <= MAX_DELAY_MS ? setTimeout(action, leftMs) : setTimeout(wait, MAX_DELAY_MS)
  }
  wait()
  return { cancel: () => clearTimeout(timer) }
}

/** Reads a value now and then, so that metrics have it without waiting for the database. */
export interface Sampler<Value> {
  /** The last value. Undefined before the first, and once it is too old to be true. */
  latest: () => Value | undefined
  /** Reads the value now: once for all callers that wait at the same time. */
  read: () => Promise<Value>
  close: () => void
}

const INTERVAL_MS = 5_000
const MAX_AGE_MS = 15_000

export function createSampler<Value>(readValue: () => Promise<Value>): Sampler<Value> {
  let last: { value: Value; at: number } | undefined
  const read = coalesce(async () => {
    const value = await readValue()
    last = { value, at: performance.now() }
    return value
  })
  const sample = () => void read().catch(() => {})
  const timer = setInterval(sample, INTERVAL_MS).unref()
  sample()
  return {
    latest: () => (last && performance.now() - last.at < MAX_AGE_MS ? last.value : undefined),
    read,
    close: () => clearInterval(timer),
  }
}
