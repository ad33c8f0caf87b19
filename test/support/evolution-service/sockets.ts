import { once } from 'node:events'
import type { Server, Socket } from 'node:net'

export interface Sockets {
  open: () => number
  /** Including closed ones. */
  total: () => number
  bytesWritten: () => number
  /** Destroys all open sockets. */
  cut: () => Promise<void>
}

export function watchSockets(server: Server, onConnection: (socket: Socket) => void): Sockets {
  const sockets = new Set<Socket>()
  let total = 0
  let bytesOfClosed = 0

  server.on('connection', (socket) => {
    total += 1
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      bytesOfClosed += socket.bytesWritten
    })
    onConnection(socket)
  })

  return {
    open: () => sockets.size,
    total: () => total,
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, bytesOfClosed),
    cut: async () => {
      await Promise.all([...sockets].map((socket) => once(socket.destroy(), 'close')))
    },
  }
}
