import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below 32768, where Linux begins to hand out ports for outgoing connections: nothing else takes the
// port while a server that had it is stopped.
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000
const ATTEMPTS = 50

/** Listens rather than looks: a port found free could be taken before it is used. */
export async function onFreePort(listen: (port: number) => Promise<unknown>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    try {
      await listen(port)
      return port
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!taken || attempt === ATTEMPTS) throw error
    }
  }
}

/** Ports that were free a moment ago. They are held together, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map((server) =>
      onFreePort(async (port) => {
        server.listen(port, '127.0.0.1')
        await once(server, 'listening')
      }),
    ),
  )
  await Promise.all(
    servers.map((server) => {
      server.close()
      return once(server, 'close')
    }),
  )
  return ports
}
