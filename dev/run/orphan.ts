import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The command line of a process; undefined when there is none with this id. */
export function commandOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      return undefined
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout?.trim() || undefined
}

/** Ends the servers of an earlier `npm run dev` that was killed and could not end them, whether this one needs its own
 * or not. */
export async function endOrphans(folder: string): Promise<void> {
  await endOrphan(join(folder, 'postgres/postmaster.pid'), join(folder, 'postgres'), 'SIGINT')
  await endOrphan(join(folder, 'nats.pid'), join(folder, 'nats'), 'SIGTERM')
}

/** The command of the server must name the folder. */
async function endOrphan(pidFile: string, folder: string, signal: NodeJS.Signals): Promise<void> {
  const pid = readPid(pidFile)
  const isOurs = () => pid !== undefined && commandOf(pid)?.includes(folder)
  if (!isOurs()) return
  process.kill(pid as number, signal)
  while (isOurs()) await delay(20)
}

function readPid(pidFile: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  } catch {
    return undefined
  }
}
