import { coalesce } from '../coalesce.ts'

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
