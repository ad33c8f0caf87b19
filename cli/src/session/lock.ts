import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../failure.ts'

/** Longer than any holder needs: it makes three requests of at most 30 seconds. */
const ABANDONED_MS = 120_000
const MAX_WAIT_MS = 180_000
const POLL_MS = 20

/** Runs `work` in one process at a time. A refresh token works once, so only one process may use it. */
export async function withLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const holder = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() })
  const deadline = performance.now() + MAX_WAIT_MS
  while (!(await create(path, holder))) {
    await removeIfAbandoned(path)
    if (performance.now() > deadline) {
      throw new Failure(`Another process holds ${path}. If none runs, delete the file.`)
    }
    // Random, so that waiting processes do not try at the same moments.
    await delay(POLL_MS * (1 + Math.random()), undefined, { signal })
  }
  try {
    return await work()
  } finally {
    // Another process may have taken it away from one that was stopped for long.
    if ((await read(path)) === holder) await rm(path, { force: true })
  }
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Windows refuses a name whose deletion is pending.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw new Failure(`${path} cannot be written: ${code}.`)
  }
}

const read = (path: string) => readFile(path, 'utf8').catch(() => undefined)

/** Only one process at a time looks, under a second file: otherwise it could remove the lock of the next holder. */
async function removeIfAbandoned(path: string): Promise<void> {
  if (!(await isAbandoned(path))) return
  const removal = `${path}.removal`
  if (!(await create(removal, ''))) {
    if ((await ageMs(removal)) > ABANDONED_MS) await rm(removal, { force: true })
    return
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true })
  } finally {
    await rm(removal, { force: true })
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const text = await read(path)
  if (text === undefined) return false
  if ((await ageMs(path)) > ABANDONED_MS) return true
  const { pid, host } = parseHolder(text)
  return host === hostname() && pid !== undefined && !isRunning(pid)
}

/** A holder that was killed between creating the file and filling it leaves an empty one: its age decides. */
function parseHolder(text: string): { pid?: number; host?: string } {
  try {
    return JSON.parse(text) as { pid?: number; host?: string }
  } catch {
    return {}
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function ageMs(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
  return Date.now() - mtimeMs
}
