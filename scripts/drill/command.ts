import { execFile } from 'node:child_process'
import { unprivileged } from '../../dev/private-postgres.ts'

/** Runs a program as the user postgres, and returns what it prints. */
export type Run = (program: string, ...args: string[]) => Promise<string>

/** Enough for the list of all backups. */
const MAX_BYTES = 64 * 1024 ** 2

/** Gives the folder to the user postgres. The error of a program is what it prints. */
export function createRun(folder: string, signal?: AbortSignal): Run {
  const as = unprivileged(folder)
  return (...words) => {
    const [program = '', ...args] = [...as, ...words]
    return new Promise((resolve, reject) => {
      const child = execFile(
        program,
        args,
        { cwd: folder, maxBuffer: MAX_BYTES, signal },
        (error, stdout, stderr) => {
          if (!error) return resolve(stdout)
          const fail = () => reject(new Error(`${stdout}${stderr}`.trim() || error.message, { cause: error }))
          // An interrupted program may still write into the folder.
          const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
          if (isRunning) child.once('close', fail)
          else fail()
        },
      )
    })
  }
}
