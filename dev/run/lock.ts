import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DevError } from './dev-error.ts'
import { commandOf } from './orphan.ts'

export interface Lock {
  /** An earlier `npm run dev` was killed. What it started ends by itself, but may not have ended yet. */
  wasKilled: boolean
  release: () => void
}

/** One `npm run dev` for each folder: two would fill the same fleet. The file holds the process id. */
export function takeLock(folder: string): Lock {
  const path = join(folder, 'lock')
  const take = () => writeFileSync(path, String(process.pid), { flag: 'wx' })
  let wasKilled = false
  try {
    take()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const pid = Number(readFileSync(path, 'utf8'))
    // Another process may have got the id of one that was killed.
    if (pid !== process.pid && commandOf(pid)?.includes('dev/main.js')) {
      throw new DevError(
        `npm run dev is already running in this folder, as process ${pid}. End it first, or use its console.`,
      )
    }
    wasKilled = true
    rmSync(path, { force: true })
    take()
  }
  return { wasKilled, release: () => rmSync(path, { force: true }) }
}
