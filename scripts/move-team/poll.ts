import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 20

export async function pollUntil(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1_000} s in vain for ${what}.`)
    await sleep(INTERVAL_MS)
  }
}
