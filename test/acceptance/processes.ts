import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePorts } from '../../dev/free-port.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** The console and what it needs as processes of their own, the way a machine runs them. */

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

/** `root` is the folder of another version of the code. */
export async function startConsoleProcess(
  { ISSUER_TOKEN_SECONDS = '3600', ...environment }: Record<string, string> = {},
  root = ROOT,
): Promise<RunningConsole> {
  const database = await createTestDatabase()
  const [issuerPort, port, metricsPort] = await freePorts(3)
  const issuerUrl = `http://127.0.0.1:${issuerPort}`
  const issuer = startProcess('dev/issuer/main.ts', {
    ISSUER_PORT: String(issuerPort),
    ISSUER_AUDIENCE: 'console',
    ISSUER_TOKEN_SECONDS,
  })
  const full = {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.url,
    AUTH_ISSUER: issuerUrl,
    AUTH_AUDIENCE: 'console',
    // A busy machine must not make the console refuse the few requests of a test.
    DATABASE_MAX_WAIT_MS: '10000',
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...environment,
  }
  const running = startProcess(join(root, 'src/main.ts'), full)
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    running.signal('SIGKILL')
    issuer.signal('SIGKILL')
    await Promise.all([running.ended, issuer.ended])
    await database.drop()
  }
  await Promise.all([
    answers(`${url}/health/live`, running),
    answers(`${issuerUrl}/.well-known/openid-configuration`, issuer),
  ]).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    ...running,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    issuerUrl,
    database,
    environment: full,
    token: (options) => requestToken(issuerUrl, options),
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

async function requestToken(
  issuerUrl: string,
  options: { user?: string; team?: string; scope?: string } = {},
): Promise<string> {
  const { user = randomUUID(), team = randomUUID(), scope = 'agent:read agent:write' } = options
  const response = await fetch(`${issuerUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${user}.${team}:development`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`The issuer gave no token: ${response.status}`)
  return token
}
