import type { Page } from 'playwright-core'

interface ProcessorTime {
  /** Of the page's main thread so far, in milliseconds. */
  now: () => Promise<number>
  /** How much slower than at its best the processor works now: 1 on a quiet machine, more beside busy neighbours. */
  slowness: () => Promise<number>
}

/** Processor time, which does not grow while the thread waits for a core. It still grows when a core is shared. */
export async function processorTime(page: Page): Promise<ProcessorTime> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const now = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  return {
    now,
    slowness: async () => {
      const before = await now()
      const best = await page.evaluate(sameWork, REPEATS)
      return Math.max(1, ((await now()) - before) / REPEATS / best)
    },
  }
}

const REPEATS = 300

/** Builds and lays out the same elements again and again; returns the time of the fastest round. */
function sameWork(repeats: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const start = performance.now()
    const box = document.createElement('div')
    box.className = 'hid'
    for (let index = 0; index < 100; index += 1) {
      box.append(
        Object.assign(document.createElement('span'), { className: 'bd', textContent: `Agent ${index}` }),
      )
    }
    document.body.append(box)
    box.getBoundingClientRect()
    box.remove()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
