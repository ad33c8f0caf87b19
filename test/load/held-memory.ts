import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'

/** Loaded into a process before its own script: it then says on a signal how much memory it held after its last full garbage
 * collection. To force one would stop the process for a tenth of a second, and refuse requests of the load. */
let heldBytes = 0

function measureHeld(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('new_'))
  return old.reduce((sum, { space_used_size }) => sum + space_used_size, process.memoryUsage().external)
}

new PerformanceObserver((list) => {
  const entries = list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[]
  const isFull = entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
  if (isFull) heldBytes = measureHeld()
}).observe({ entryTypes: ['gc'] })

process.on('SIGUSR2', () => {
  const { rss } = process.memoryUsage()
  process.stdout.write(`memory ${JSON.stringify({ heldBytes: heldBytes || measureHeld(), rss })}\n`)
})
