import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePorts } from '../../dev/free-port.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { startIssuer } from './issuer/issuer.ts'

/** The console as a process of its own, the way a machine runs it. */

const ROOT = join(import.meta.dirname, '../..')

export interface Process {
  child: ChildProcess
  /** All that it has printed. */
  output: () => string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
  signal: (name: NodeJS.Signals) => void
}

const COMPILE_CACHE = 'node_modules/.cache/node-compile'

export function startProcess(
  script: string,
  environment: Record<string, string>,
  ...options: string[]
): Process {
  const child = spawn(process.execPath, [script, ...options], {
    cwd: ROOT,
    // Only what is given: a variable of the machine must not decide a test. With the cache a start takes half of the time.
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))
  return {
    child,
    output: () => output,
    ended: once(child, 'close').then(([code]) => code as number | null),
    signal: (name) => void child.kill(name),
  }
}

export interface RunningConsole extends Process {
  url: string
  metricsUrl: string
  issuerUrl: string
  database: TestDatabase
  environment: Record<string, string>
  token: (options?: { user?: string; team?: string; scope?: string }) => Promise<string>
  close: () => Promise<void>
}

/** `root` is the folder of another version of the code. The issuer runs in this process; with ISSUER_GRANTS it has a token
 * endpoint, too. */
export async function startConsoleProcess(
  { ISSUER_TOKEN_SECONDS = '3600', ISSUER_GRANTS = 'off', ...environment }: Record<string, string> = {},
  root = ROOT,
): Promise<RunningConsole> {
  const [database, issuer] = await Promise.all([
    createTestDatabase(),
    startIssuer({
      audience: 'console',
      tokenLifetimeSeconds: Number(ISSUER_TOKEN_SECONDS),
      grants: ISSUER_GRANTS === 'on',
    }),
  ])
  const [port, metricsPort] = await freePorts(2)
  const full = {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.url,
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: issuer.audience,
    // A busy machine must not make the console refuse the few requests of a test.
    DATABASE_MAX_WAIT_MS: '10000',
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...environment,
  }
  const running = startProcess(join(root, 'src/main.ts'), full)
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    running.signal('SIGKILL')
    await running.ended
    await Promise.all([issuer.close(), database.drop()])
  }
  await answers(`${url}/health/live`, running).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    ...running,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    issuerUrl: issuer.url,
    database,
    environment: full,
    token: ({ user = randomUUID(), team = randomUUID(), scope = 'agent:read agent:write' } = {}) =>
      issuer.token({ user, team, scope }),
    close,
  }
}

/** Waits until it answers there; what ends or stays silent has failed. */
export async function answers(url: string, process: Process): Promise<void> {
  const deadline = Date.now() + 120_000
  for (;;) {
    if (process.child.exitCode !== null) throw new Error(`The process ended:\n${process.output()}`)
    if (Date.now() > deadline) throw new Error(`${url} does not answer:\n${process.output()}`)
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
