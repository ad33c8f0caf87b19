import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onFreePort } from '../../dev/free-port.ts'

export interface TcpProxy {
  port: number
  close: () => Promise<void>
}

export interface TcpProxyOptions {
  /** Called for each connection. */
  target: () => { hostname: string; port: number }
  /** Passes on what the client sends. Default: as it is. */
  forward?: (client: Socket, server: Socket) => void
  /** Passes on what the server sends. Default: as it is. */
  answer?: (server: Socket, client: Socket) => void
}

/** Passes connections on to a server. When one end closes its connection, the proxy closes the other one. */
export async function startTcpProxy({
  target,
  forward = pipe,
  answer = pipe,
}: TcpProxyOptions): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const { hostname, port } = target()
    const server = connect(port, hostname)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    forward(client, server)
    answer(server, client)
  })
  const port = await onFreePort(async (free) => {
    proxy.listen(free, '127.0.0.1')
    await once(proxy, 'listening')
  })
  return {
    port,
    close: async () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await once(proxy, 'close')
    },
  }
}

function pipe(from: Socket, to: Socket): void {
  from.pipe(to)
}
