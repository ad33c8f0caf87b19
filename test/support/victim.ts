import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../scripts/seed/random.ts'
import { answers, type Process, startProcess } from './processes.ts'
import { until } from './until.ts'

/** Something that is killed with -9 while it works, and started again. */
export interface Victim {
  name: string
  kill: () => Promise<void>
  start: () => Promise<void>
}

const LONGEST_ABSENCE_MS = 1_000
const PATIENCE_MS = 600_000

export interface ProcessVictim extends Victim {
  /** Resolves while it runs. */
  isUp: () => Promise<void>
  /** With more variables than before, if some are given. */
  start: (environment?: Record<string, string>) => Promise<void>
}

export interface VictimCommand {
  script: string
  environment: Record<string, string>
  /** Answers when the process is ready. */
  probe: string
}

/** Starts a process that can be killed. */
export async function startVictim(name: string, command: VictimCommand): Promise<ProcessVictim> {
  const started = startProcess(command.script, command.environment)
  await answers(command.probe, started).catch((error: unknown) => {
    started.signal('SIGKILL')
    throw error
  })
  return createVictim(name, started, command)
}

/** A process of ours that is running. */
export function createVictim(name: string, running: Process, again: VictimCommand): ProcessVictim {
  let current = running
  let back = Promise.withResolvers<void>()
  back.resolve()
  return {
    name,
    isUp: () => back.promise,
    kill: async () => {
      back = Promise.withResolvers()
      current.signal('SIGKILL')
      await current.ended
    },
    start: async (environment) => {
      current = startProcess(again.script, { ...again.environment, ...environment })
      await answers(again.probe, current)
      back.resolve()
    },
  }
}

/** Kills one after the other, spread over the work by its progress (0 to 1, or undefined once it has failed), and
 * starts each again after a random while. The next is killed meanwhile; one that is to be killed again comes back
 * first. In the end all are back. */
export async function wreak(
  victims: Victim[],
  random: Random,
  progress: () => number | undefined,
): Promise<void> {
  const comebacks = new Map<Victim, Promise<void>>()
  try {
    for (const [n, victim] of victims.entries()) {
      const point = (n + random.next()) / victims.length
      await until(`${point} of the work is done`, () => (progress() ?? point) >= point, PATIENCE_MS)
      if (progress() === undefined) break
      await comebacks.get(victim)
      await victim.kill()
      const comeback = sleep(random.next() * LONGEST_ABSENCE_MS).then(() => victim.start())
      // It is awaited later, and may have failed by then.
      comeback.catch(() => {})
      comebacks.set(victim, comeback)
    }
  } finally {
    await Promise.allSettled(comebacks.values())
  }
  await Promise.all(comebacks.values())
}
