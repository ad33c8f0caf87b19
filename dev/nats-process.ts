import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** One nats-server, started and ended any number of times with the same arguments. */
export interface NatsProcess {
  /** Resolves once it takes connections; rejects with what it printed if it ends before. */
  start: () => Promise<void>
  /** A crash: nobody is told, nothing is written down. */
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
        // Debian keeps it where only root's PATH looks.
        env: { PATH: `${process.env['PATH']}:/usr/local/sbin:/usr/sbin` },
        // Ctrl-C reaches the whole terminal group: whoever started it ends it, in order.
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

/** It says so itself, on stderr like all of its log, and only after what JetStream has stored is recovered. */
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
