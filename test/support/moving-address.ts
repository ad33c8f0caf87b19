import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onFreePort } from '../../dev/free-port.ts'

/** An address that can move from one server to another, as a name in DNS or a proxy does after a failover. Connections
 * that are open stay with their server. */
export interface MovingAddress {
  url: string
  moveTo: (url: string) => void
  close: () => Promise<void>
}

export async function createMovingAddress(firstUrl: string): Promise<MovingAddress> {
  let target = new URL(firstUrl)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const behind = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      keep(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  const port = await onFreePort(async (free) => {
    server.listen(free, '127.0.0.1')
    await once(server, 'listening')
  })
  const url = new URL(firstUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.toString(),
    moveTo: (next) => {
      target = new URL(next)
    },
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
