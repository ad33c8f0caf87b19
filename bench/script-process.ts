import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** A busy machine needs long for a start. */
const START_MS = 60_000

/** A process of the development set-up, and what it has printed. */
export interface Service {
  pid: number
  stop: () => Promise<void>
  /** Rejects when it ends by itself. */
  ended: Promise<never>
}

/** Starts a script and waits until it answers at `probe`. Under load its output is better not read: that would be
 * measured, too. */
export async function startService(
  script: string,
  environment: Record<string, string>,
  probe: string,
  { args = [], isRead = true }: { args?: string[]; isRead?: boolean } = {},
): Promise<Service> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', isRead ? 'pipe' : 'ignore', 'pipe'],
    // Ctrl-C reaches the whole terminal group: the services end when they are told to, in order.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => (output = (output + text).slice(-4_000)))
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    throw new Error(`${[script, ...args].join(' ')} ended (${signal ?? code}):\n${output}`)
  })
  ended.catch(() => {})
  await Promise.race([answers(probe), ended]).catch(async (error) => {
    await stop(child)
    throw error
  })
  return { pid: child.pid as number, ended, stop: () => stop(child) }
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + START_MS
  while (Date.now() < deadline) {
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response !== undefined && response.status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Nothing answers at ${url}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
