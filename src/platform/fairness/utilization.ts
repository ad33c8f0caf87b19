import { performance } from 'node:perf_hooks'

/** It is measured anew after so many milliseconds. */
const SAMPLE_MS = 5

/** Returns how busy the event loop of this thread was in the last few milliseconds, from 0 to 1. */
export function createUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  let lastAt = performance.now()
  let value = 0
  return () => {
    const at = performance.now()
    if (at - lastAt < SAMPLE_MS) return value
    const current = performance.eventLoopUtilization()
    value = performance.eventLoopUtilization(current, last).utilization
    last = current
    lastAt = at
    return value
  }
}
