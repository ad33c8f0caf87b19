import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join, relative } from 'node:path'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'

export interface ChildOptions {
  /** Names its log, too. */
  name: string
  command: string
  args: string[]
  environment: Record<string, string | undefined>
  /** What it prints once it serves. Only our own child can print it: a response on its port could be another program's. */
  ready: RegExp
  /** PostgreSQL waits for its clients after SIGTERM. */
  endSignal?: NodeJS.Signals
  /** For a Node process, which then ends when this one is killed. */
  isNode?: boolean
}

export interface Child {
  ready: Promise<void>
  /** Resolves with a sentence when it has ended. */
  ended: Promise<string>
  /** The last that it printed. */
  output: () => string
}

const ROOT = join(import.meta.dirname, '../..')
const READY_TIMEOUT_MS = 60_000

export function startChild(options: ChildOptions, lifetime: Lifetime, logsFolder: string): Child {
  const { name, command, args, environment, endSignal = 'SIGTERM', isNode = false } = options
  lifetime.check()
  const child = spawn(command, args, {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', ...(isNode ? (['ipc'] as const) : [])],
    // A group of its own: Ctrl-C in a terminal reaches this process alone, which ends the others in order.
    detached: true,
  })
  lifetime.onEnd((hurry) => endChild(child, endSignal, hurry))

  const logFile = join(logsFolder, `${name}.log`)
  const log = createWriteStream(logFile)
  let output = ''
  const serves = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log.write(text)
        output = (output + text).slice(-8_000)
        if (options.ready.test(output)) resolve()
      })
    }
  })
  const ended = new Promise<string>((resolve) => {
    const place = relative(process.cwd(), logFile)
    child.once('error', (error) => resolve(`${name} could not be started: ${error.message}.`))
    child.once('close', (code, signal) => {
      log.end()
      resolve(`${name} ended (${signal ?? `code ${code}`}): ${lastLine(output)} Its log is ${place}.`)
    })
  })
  const ready = Promise.race([
    serves,
    ended.then((sentence) => {
      throw new DevError(sentence)
    }),
    timeout(`${name} was not ready after ${READY_TIMEOUT_MS / 1_000} s.`, serves),
  ])
  ready.catch(() => {})
  return { ready, ended, output: () => output }
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals, hurry: AbortSignal): Promise<void> {
  const { pid } = child
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  // With its group, and so with what it started itself.
  const kill = () => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended in this moment.
    }
  }
  if (hurry.aborted) kill()
  else {
    child.kill(signal)
    hurry.addEventListener('abort', kill, { once: true })
  }
  await closed
  hurry.removeEventListener('abort', kill)
}

function timeout(sentence: string, unless: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new DevError(sentence)), READY_TIMEOUT_MS)
    timer.unref()
    void unless.then(() => clearTimeout(timer))
  })
}

/** The message of a log line in JSON, else the line. */
function lastLine(output: string): string {
  const line = output.trim().split('\n').at(-1)?.trim() ?? ''
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line) ?? []
  const text = message ?? line
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}
