import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

export interface ServerCommand {
  /** Also the name of its Debian package. */
  command: string
  args: string[]
  /** Where it writes its log. */
  log: 'stdout' | 'stderr'
  /** What its log has when it accepts connections. */
  ready: string
  /** Its own process group: Ctrl-C must not stop it before the processes that use it. */
  detached: boolean
}

/** A server that can be started and ended repeatedly. */
export interface ServerProcess {
  /** Resolves when it accepts connections; rejects with its output if it exits before. */
  start: () => Promise<void>
  /** Sends the signal and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<void>
  signal: (signal: NodeJS.Signals) => void
  /** Undefined while it does not run. */
  pid: () => number | undefined
  /** The end of its log since the last start. */
  output: () => string
}

const MAX_OUTPUT_LENGTH = 4_000

export function createServerProcess({ command, args, log, ready, detached }: ServerCommand): ServerProcess {
  let child: ChildProcess | undefined
  let output = ''
  return {
    start: async () => {
      output = ''
      const starting = spawn(command, args, {
        stdio: ['ignore', log === 'stdout' ? 'pipe' : 'ignore', log === 'stderr' ? 'pipe' : 'ignore'],
        // Debian installs some outside the PATH of users.
        env: { PATH: `${process.env['PATH']}:/usr/local/sbin:/usr/sbin` },
        detached,
      })
      child = starting
      starting.once('close', () => (child = undefined))
      await new Promise<void>((resolve, reject) => {
        starting.once('error', (error) => reject(explain(error, command)))
        starting.once('close', () => reject(ended(output)))
        ;(starting[log] as Readable).setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-MAX_OUTPUT_LENGTH)
          if (output.includes(ready)) resolve()
        })
      })
    },
    end: async (signal) => {
      const ending = child
      if (ending === undefined) return
      const closed = once(ending, 'close')
      ending.kill(signal)
      await closed
    },
    signal: (signal) => void child?.kill(signal),
    pid: () => child?.pid,
    output: () => output,
  }
}

const explain = (error: NodeJS.ErrnoException, command: string) =>
  error.code === 'ENOENT' ? new Error(`${command} is not installed: apt-get install ${command}`) : error

const ended = (output: string) =>
  Object.assign(new Error(output), { code: output.includes('in use') ? 'EADDRINUSE' : 'FAILED' })
