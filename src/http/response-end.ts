import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const waiting = new WeakMap<Socket, Set<() => void>>()

/** Calls back once, when the response was sent or its connection is lost. A response that waits behind another one of the same
 * connection emits no 'close' when the connection closes. */
export function onResponseEnd(response: ServerResponse, callback: () => void): void {
  const { socket } = response.req
  if (socket.destroyed) return callback()
  const ofSocket = waiting.get(socket) ?? addSocket(socket)
  const end = () => {
    if (ofSocket.delete(end)) callback()
  }
  ofSocket.add(end)
  response.once('close', end)
}

function addSocket(socket: Socket): Set<() => void> {
  const callbacks = new Set<() => void>()
  waiting.set(socket, callbacks)
  socket.once('close', () => {
    for (const end of callbacks) end()
  })
  return callbacks
}
