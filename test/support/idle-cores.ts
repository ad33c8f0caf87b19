import { cpus } from 'node:os'

/** Returns a function that says which part of all cores was idle since now, from 0 to 1. */
export function observeIdleCores(): () => number {
  const before = readTimes()
  return () => {
    const after = readTimes()
    return (after.idle - before.idle) / (after.all - before.all)
  }
}

function readTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) }
}
