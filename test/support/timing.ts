import { IS_LONG } from './sized.ts'

/** How many times a measured figure may exceed its limit: the short form runs beside other work. */
export const SLACK = IS_LONG ? 1 : 3

/** Milliseconds of each of so many runs, one after the other. */
export async function timed(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return times
}

/** By nearest rank: of twenty values, the p95 is the nineteenth. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number
}
