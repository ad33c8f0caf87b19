import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Linux takes ports for outgoing connections from 32768 on: below, nothing takes the port of a stopped server.
const LOWEST_PORT = 20_000
/** Each process takes its ports in turn from a range of its own, so that processes that run at the same time do not take the
 * ports that another has found free and not yet used. */
const RANGES = 120
const RANGE_SIZE = 100
const FIRST_PORT = LOWEST_PORT + (process.pid % RANGES) * RANGE_SIZE
let taken = randomInt(RANGE_SIZE)

/** Tries to listen on one port after the other: a port that was only checked could be taken before it is used. */
export async function onFreePort(listen: (port: number) => Promise<unknown>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = FIRST_PORT + (taken++ % RANGE_SIZE)
    try {
      await listen(port)
      return port
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || attempt === RANGE_SIZE) throw error
    }
  }
}

/** Returns different ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map((server) => onFreePort((port) => once(server.listen(port, '127.0.0.1'), 'listening'))),
  )
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
