import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Linux takes ports for outgoing connections from 32768 on: below, nothing takes the port of a stopped server.
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000
const ATTEMPTS = 50

/** Tries to listen on random ports: a port that was only checked could be taken before it is used. */
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

/** Returns different ports that were free a moment ago. */
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
