import { createServerProcess } from './server-process.ts'

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
  // It writes the line after JetStream has recovered its data.
  const server = createServerProcess({
    command: 'nats-server',
    args,
    log: 'stderr',
    ready: 'Server is ready',
    detached: true,
  })
  const { start, end, pid } = server
  return { start, kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), pid }
}
