import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Process } from '../acceptance/processes.ts'
import { askMemory } from '../proofs/memory.ts'
import { fitLine, type Line } from './line-fit.ts'

export interface Sample {
  atHours: number
  /** In use after the last full garbage collection, in the heap and outside, in MiB. */
  heldMiB: number
  residentMiB: number
  descriptors: number
}

const MIB = 2 ** 20

export async function sampleResources(running: Process): Promise<Sample> {
  const { heldBytes, rss } = await askMemory<{ heldBytes: number; rss: number }>(running)
  return {
    atHours: performance.now() / 3_600_000,
    heldMiB: heldBytes / MIB,
    residentMiB: rss / MIB,
    descriptors: readdirSync(`/proc/${running.child.pid}/fd`).length,
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
    samples.push(await sampleResources(running))
    await Promise.race([sleep(everySeconds * 1_000), done.catch(() => {})])
  }
  return { samples, result: await done }
}

const WINDOWS = 12

/** The least of each twelfth of the samples. What requests in flight hold, and garbage that is not swept yet, is in the others; what
 * leaks is in all of them. */
export function leastInWindows(samples: Sample[], of: (sample: Sample) => number): [x: number, y: number][] {
  const size = Math.ceil(samples.length / WINDOWS)
  const windows = Object.values(Object.groupBy(samples, (_, index) => Math.floor(index / size)))
  return windows.flatMap((window) => {
    const least = window?.toSorted((a, b) => of(a) - of(b))[0]
    return least ? [[least.atHours, of(least)]] : []
  })
}

/** Growth per hour of what the samples show. */
export function growth(samples: Sample[], of: (sample: Sample) => number): Line {
  return fitLine(leastInWindows(samples, of))
}
