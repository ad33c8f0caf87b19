import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readResidentBytes } from '../support/memory.ts'
import type { Process } from '../support/processes.ts'

export interface Sample {
  residentMiB: number
  descriptors: number
}

export function sampleResources({ child }: Process): Sample {
  return {
    residentMiB: readResidentBytes(child) / 2 ** 20,
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
  }
}

/** Takes samples while the work goes on. */
export async function sampleDuring<Result>(
  running: Process,
  everySeconds: number,
  work: Promise<Result>,
): Promise<{ samples: Sample[]; result: Result }> {
  const samples: Sample[] = []
  let isDone = false
  const done = work.finally(() => (isDone = true))
  // It is awaited below, and may fail before.
  done.catch(() => {})
  while (!isDone) {
    samples.push(sampleResources(running))
    await Promise.race([sleep(everySeconds * 1_000), done.catch(() => {})])
  }
  return { samples, result: await done }
}
