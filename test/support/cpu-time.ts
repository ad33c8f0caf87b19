import { existsSync, readFileSync } from 'node:fs'

/** The kernel reports CPU time in ticks of 10 ms. */
const TICK_MICROS = 10_000

/** CPU time of a process, all its threads and all its child processes, running or ended, in microseconds. */
export function cpuMicros(pid: number): number {
  if (!existsSync('/proc/self/stat')) throw new Error('CPU time is read from /proc: this needs Linux.')
  if (!existsSync(`/proc/${pid}/stat`)) throw new Error(`The process ${pid} has ended.`)
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces. utime, stime, cutime and cstime are the fields 14 to 17 (proc(5)).
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  const own = ticks.reduce((sum, some) => sum + Number(some), 0) * TICK_MICROS
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return own + children.reduce((sum, child) => sum + cpuOfChild(Number(child)), 0)
}

/** A child may end at any time. The kernel then adds its time to that of its parent. */
function cpuOfChild(pid: number): number {
  try {
    return cpuMicros(pid)
  } catch {
    return 0
  }
}
