import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
  /** What asks it to end, SIGTERM when absent. */
  endSignal?: NodeJS.Signals
  /** What ends it at once; SIGKILL to it and to what it has started when absent. */
  hardSignal?: NodeJS.Signals
  /** For a Node process, which then ends when this one is killed. */
  isNode?: boolean
}

export interface Child {
  ready: Promise<void>
  /** Resolves with a sentence when it has ended. */
  ended: Promise<string>
}

const ROOT = join(import.meta.dirname, '../..')
const READY_TIMEOUT_MS = 60_000
const POLL_MS = 20

export function startChild(options: ChildOptions, lifetime: Lifetime, logsFolder: string): Child {
  const { name, command, args, environment, isNode = false } = options
  lifetime.check()
  const logFile = join(logsFolder, `${name}.log`)
  const log = openSync(logFile, 'w')
  const child = spawn(command, args, {
    cwd: ROOT,
    env: environment,
    // To the file itself, not through this process: it could go before the child does.
    stdio: ['ignore', log, log, ...(isNode ? (['ipc'] as const) : [])],
    // A group of its own: Ctrl-C in a terminal reaches this process alone, which ends the others in order.
    detached: true,
  })
  lifetime.onEnd(isNode ? 'client' : 'server', (hurry) => endChild(child, options, hurry))
  closeSync(log)

  const output = () => readFileSync(logFile, 'utf8')
  const ended = new Promise<string>((resolve) => {
    const place = relative(process.cwd(), logFile)
    child.once('error', (error) => resolve(`${name} could not be started: ${error.message}.`))
    child.once('close', (code, signal) => {
      resolve(`${name} ended (${signal ?? `code ${code}`}): ${lastLine(output())} Its log is ${place}.`)
    })
  })
  const isReady = async () => {
    const deadline = performance.now() + READY_TIMEOUT_MS
    while (!options.ready.test(output())) {
      if (performance.now() > deadline)
        throw new DevError(`${name} was not ready after ${READY_TIMEOUT_MS / 1_000} s.`)
      const sentence = await Promise.race([ended, delay(POLL_MS)])
      if (sentence !== undefined && !options.ready.test(output())) throw new DevError(sentence)
    }
  }
  const ready = isReady()
  ready.catch(() => {})
  return { ready, ended }
}

async function endChild(child: ChildProcess, options: ChildOptions, hurry: AbortSignal): Promise<void> {
  const { endSignal = 'SIGTERM', hardSignal } = options
  const { pid } = child
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  const kill = () => {
    try {
      if (hardSignal) child.kill(hardSignal)
      else process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended in this moment.
    }
  }
  if (hurry.aborted) kill()
  else {
    child.kill(endSignal)
    hurry.addEventListener('abort', kill, { once: true })
  }
  await closed
  hurry.removeEventListener('abort', kill)
  await endGroup(pid)
}

/** What a child has started can outlive it for a moment, such as the build that npm runs. */
async function endGroup(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      return
    }
    await delay(POLL_MS)
  }
}

/** The message of a log line in JSON, else the line. */
function lastLine(output: string): string {
  const line = output.trim().split('\n').at(-1)?.trim() ?? ''
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line) ?? []
  const text = message ?? line
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}
