import { median } from './wrk.ts'

export interface Contender {
  name: string
  run: (seconds: number) => Promise<number>
}

/** Measures contenders turn by turn, so that whatever else the machine does falls on all of them, and answers
 * the median of each. */
export async function contest(
  contenders: Contender[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Map<string, number>> {
  // A server that has just started is still being compiled while it runs.
  for (const { run } of contenders) await run(Math.max(seconds, 8))
  const results = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const { name, run } of contenders) {
      const perSecond = await run(seconds)
      results.get(name)?.push(perSecond)
      process.stdout.write(`  round ${round}  ${name.padEnd(36)} ${perSecond.toFixed(0).padStart(7)}/s\n`)
    }
  }
  return new Map([...results].map(([name, values]) => [name, median(values)]))
}
