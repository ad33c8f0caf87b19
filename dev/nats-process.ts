import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** A nats-server that can be started and stopped repeatedly with the same arguments. */
export interface NatsProcess {
  /** Resolves when it accepts connections; rejects with its output if it exits before. */
  start: () => Promise<void>
  /** A crash: SIGKILL. */
  kill: () => Promise<void>
  stop: () => Promise<void>
  /** Undefined while it does not run. */
  pid: () => number | undefined
}

export function createNatsProcess(args: string[]): NatsProcess {
  let child: ChildProcessByStdio<null, null, Readable> | undefined
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    if (ending === undefined) return
    const closed = once(ending, 'close')
    ending.kill(signal)
    await closed
  }
  return {
    start: async () => {
      const starting = spawn('nats-server', args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        // Debian installs it outside the PATH of users.
        env: { PATH: `${process.env['PATH']}:/usr/local/sbin:/usr/sbin` },
        // Its own process group: Ctrl-C must not stop it before the processes that use it.
        detached: true,
      })
      child = starting
      starting.once('close', () => (child = undefined))
      await ready(starting)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pid: () => child?.pid,
  }
}

/** Waits for the log line that nats-server writes to stderr after JetStream has recovered its data. */
async function ready(starting: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  let log = ''
  await new Promise<void>((resolve, reject) => {
    starting.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error('nats-server is not installed: apt-get install nats-server')
          : error,
      ),
    )
    starting.once('close', () =>
      reject(Object.assign(new Error(log), { code: log.includes('in use') ? 'EADDRINUSE' : 'FAILED' })),
    )
    starting.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000)
      if (log.includes('Server is ready')) resolve()
    })
  })
}
