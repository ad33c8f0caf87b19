import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Process } from './processes.ts'
import { until } from './until.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
/** The options of Node that `npm start` has, for a process that is measured. */
export const MEMORY_LIMITS = scripts.start.match(/--(?:max|v8)-\S+/g)?.join(' ') ?? ''

/** What a process must be started with. */
export const TELLS_MEMORY = {
  NODE_OPTIONS: `--import ./test/proofs/memory-on-signal.ts ${MEMORY_LIMITS}`,
}

const MEMORY = /memory (\{.*\})\n/g

/** What a process that was started with `TELLS_MEMORY` holds on to, in bytes. */
export const measureMemory = (running: Process) => askMemory<NodeJS.MemoryUsage>(running)

/** What a process says on the signal. */
export async function askMemory<Told>(running: Process): Promise<Told> {
  const told = () => [...running.output().matchAll(MEMORY)]
  const before = told().length
  running.signal('SIGUSR2')
  await until('the process says how much memory it has', () => told().length > before)
  return JSON.parse(told().at(-1)?.[1] as string) as Told
}

export function readResidentBytes({ pid }: ChildProcess): number {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}

/** The memory that a process takes now, and the most that it takes until told to stop, in bytes. */
export function observeMemory({ child }: Process): { now: () => number; stop: () => number } {
  let most = 0
  const now = () => readResidentBytes(child)
  const look = () => {
    most = Math.max(most, now())
  }
  look()
  const looking = setInterval(look, 50)
  return {
    now,
    stop: () => {
      clearInterval(looking)
      look()
      return most
    },
  }
}
