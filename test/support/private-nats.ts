import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePort } from '../../dev/free-port.ts'
import { createNatsProcess, type NatsProcess } from './nats-process.ts'

/** A separate nats-server with JetStream, for development and for tests that stop or kill it. After a restart it has the
 * same port and data. */
export interface PrivateNats extends NatsProcess {
  url: string
  remove: () => Promise<void>
}

export async function startPrivateNats(): Promise<PrivateNats> {
  const folder = await mkdtemp(join(tmpdir(), 'console-nats-'))
  const onPort = (port: number) =>
    createNatsProcess(['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', folder])
  try {
    let server: NatsProcess | undefined
    const port = await onFreePort((free) => {
      server = onPort(free)
      return server.start()
    })
    const started = server as NatsProcess
    return {
      ...started,
      url: `nats://127.0.0.1:${port}`,
      remove: async () => {
        await started.kill()
        await rm(folder, { recursive: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
}
