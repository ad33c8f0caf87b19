import { readFileSync } from 'node:fs'

/** Returns a function that says which part of all cores the host gave to other machines since now, from 0 to 1: figures of
 * such a time say little. */
export function observeStolenTime(): () => number {
  const before = readTimes()
  return () => {
    const after = readTimes()
    return (after.stolen - before.stolen) / (after.all - before.all)
  }
}

/** The first line of /proc/stat, whose eighth number is the stolen time (proc(5)). The last two are parts of the others. */
function readTimes(): { stolen: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) }
}
