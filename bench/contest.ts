import { cpuMicros } from '../test/support/cpu-time.ts'
import { judge, type Limit, median } from './verdict.ts'
import type { Load } from './wrk.ts'

export interface Contender {
  name: string
  /** How many processes take turns to serve its rounds. 1 when absent. */
  processes?: number
  measure: (seconds: number) => Promise<Round>
}

export interface BenchOptions {
  rounds: number
  seconds: number
}

export interface Round extends Load {
  cpuMicros: number
}

/** Until a process has compiled its code: so many requests, but not for longer than this. */
const WARM_UP_REQUESTS = 20_000
const WARM_UP_MS = 30_000

/** Measures the CPU time per request of all contenders in short alternating rounds, so that other load on the machine
 * affects all of them, and prints the ratios of the rounds with a verdict. In each round another contender comes first: what the
 * one before leaves behind, in caches and in PostgreSQL, affects all of them. */
export async function contest(
  title: string,
  contenders: Contender[],
  limits: Limit[],
  { rounds, seconds }: BenchOptions,
): Promise<void> {
  process.stdout.write(`${title}: CPU time per request, ${rounds} rounds of ${seconds} s each\n`)
  for (const contender of contenders) await warmUp(contender)
  const results = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      results.get(contender.name)?.push(await contender.measure(seconds))
    }
    const figures = [...results].map(
      ([name, all]) => `${name} ${perRequest(all.at(-1) as Round).toFixed(0)} µs`,
    )
    process.stdout.write(`  round ${String(round).padStart(2)}: ${figures.join(', ')}\n`)
  }
  process.stdout.write('\n')
  for (const [name, all] of results) {
    const micros = median(all.map(perRequest)).toFixed(0)
    const rate = median(all.map((one) => one.requests / one.seconds)).toFixed(0)
    process.stdout.write(
      `  ${name.padEnd(40)} ${micros.padStart(6)} µs/request  ${rate.padStart(7)} requests/s\n`,
    )
  }
  process.exitCode = judge(
    limits.map((limit) => {
      const [own = [], other = []] = [limit.of, limit.against].map((name) => results.get(name))
      return { limit, costs: own.map((one, i) => perRequest(one) / perRequest(other[i] as Round)) }
    }),
  )
}

async function warmUp({ measure, processes = 1 }: Contender): Promise<void> {
  const end = Date.now() + WARM_UP_MS * processes
  for (let requests = 0; requests < WARM_UP_REQUESTS * processes && Date.now() < end; ) {
    requests += (await measure(2)).requests
  }
}

/** Processes of the same program differ, by what V8 has compiled of it, more than a change of a few percent. */
export function inTurn(measures: Contender['measure'][]): Contender['measure'] {
  let turn = 0
  return (seconds) => (measures[turn++ % measures.length] as Contender['measure'])(seconds)
}

/** Measures what the processes that serve the requests use, without the one that sends them. */
export function measuring(pids: number[], send: (seconds: number) => Promise<Load>): Contender['measure'] {
  const used = () => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)
  return async (seconds) => {
    const before = used()
    const load = await send(seconds)
    return { ...load, cpuMicros: used() - before }
  }
}

function perRequest(round: Round): number {
  return round.cpuMicros / round.requests
}
