import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePort } from '../../dev/free-port.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'

/** A separate redis-server without persistence, for tests that stop or kill it. After a restart it has the same port and no
 * data. */
export interface PrivateRedis {
  url: string
  /** Resolves when it accepts connections. */
  start: () => Promise<void>
  /** A crash: SIGKILL. */
  kill: () => Promise<void>
  /** Lets it hang: it accepts connections and does not respond. */
  pause: () => void
  resume: () => void
  remove: () => Promise<void>
}

/** `replicaOf`: the server that it copies. */
export async function startPrivateRedis(replicaOf?: PrivateRedis): Promise<PrivateRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'console-redis-'))
  let server: ServerProcess | undefined
  const start = async (port: number) => {
    const address = ['--port', String(port), '--bind', '127.0.0.1']
    const primary = replicaOf ? ['--replicaof', '127.0.0.1', new URL(replicaOf.url).port] : []
    const args = [...address, '--dir', folder, '--save', '', '--appendonly', 'no', ...primary]
    const ready = 'Ready to accept connections'
    server = createServerProcess({ command: 'redis-server', args, log: 'stdout', ready, detached: false })
    await server.start()
  }
  const kill = async () => server?.end('SIGKILL')
  try {
    const port = await onFreePort(start)
    return {
      url: `redis://127.0.0.1:${port}`,
      start: () => start(port),
      kill,
      pause: () => server?.signal('SIGSTOP'),
      resume: () => server?.signal('SIGCONT'),
      remove: async () => {
        await kill()
        await rm(folder, { recursive: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
}
