import { readFileSync } from 'node:fs'
import { readVariable } from '../src/config/reader.ts'

/** Exits with 0 when the process of this container responds over HTTP, with 1 when it does not. A database that is down
 * does not count: a restart would not help. A command that serves nothing is healthy while it runs. */

const TIMEOUT_MS = 3_000

const read = (name: string) => readVariable(process.env, name)
const readHost = (name: string) => {
  const given = read(name)
  return ['', '0.0.0.0', '::'].includes(given) ? '127.0.0.1' : given
}
const urls: Record<string, string> = {
  serve: `http://${readHost('HOST')}:${read('PORT') || 8080}/health/live`,
  relay: `http://${readHost('METRICS_HOST')}:${read('METRICS_PORT') || 9464}/`,
}

const url = urls[process.argv[2] ?? findCommand()]
try {
  if (url) {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (status >= 500) throw new Error(`status ${status}`)
  }
} catch (error) {
  process.stderr.write(`${url}: ${(error as Error).message}\n`)
  process.exitCode = 1
}

/** The command that the container was started with, from its process 1: an init, or the command itself. */
function findCommand(): string {
  const started = readFileSync('/proc/1/cmdline', 'utf8')
  return /relay|migrate|rotate|new-epoch/.exec(started)?.[0] ?? 'serve'
}
