import type { Page } from 'playwright-core'

/**
 * Reads the processor time of the page's main thread so far, in milliseconds. It does not grow while the thread waits
 * for a core, but it does when a neighbour slows the core down: of several rounds the best one counts.
 */
export async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}
