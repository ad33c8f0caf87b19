import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createAgent } from './agents.ts'
import { startConsole } from './console.ts'

/** A console in a process of its own, started by `fork`, so that its figures do not include those of the test. */

export interface Started {
  url: string
  token: string
  /** An agent of the token's team. */
  id: string
}

export interface LoopReport {
  /** The longest time the event loop was away, by the clock. */
  wallMs: number
  /** The most processor time its thread spent between two turns: unlike the clock, it does not count what
   * the machine gave to other processes. */
  cpuMs: number
}

export type Command = 'reset' | 'report' | 'close'

const RESOLUTION_MS = 1

const running = await startConsole()
const person = await running.person()
const { id } = await createAgent(running, person)

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()

let longestTurnMs = 0
let cpuBefore = threadCpuMs()
const turns = setInterval(() => {
  const cpu = threadCpuMs()
  longestTurnMs = Math.max(longestTurnMs, cpu - cpuBefore)
  cpuBefore = cpu
}, RESOLUTION_MS)

process.on('message', (command: Command) => {
  if (command === 'reset') {
    delay.reset()
    longestTurnMs = 0
    cpuBefore = threadCpuMs()
    running.logLines.length = 0
    // What comes before its first two ticks the histogram does not see.
    setTimeout(() => process.send?.('reset'), 5 * RESOLUTION_MS)
  } else if (command === 'report') {
    // The histogram counts the interval of its timer as well.
    const wallMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
    process.send?.({ wallMs, cpuMs: longestTurnMs } satisfies LoopReport)
  } else {
    clearInterval(turns)
    delay.disable()
    void running.close().then(() => process.disconnect())
  }
})
process.send?.({ url: running.url, token: person.token, id } satisfies Started)

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
