import { randomInt } from 'node:crypto'

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
