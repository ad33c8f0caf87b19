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

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}
