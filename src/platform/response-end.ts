import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../contract/problem.ts'

const waiting = new WeakMap<Socket, Set<() => void>>()

/** Whether the response was sent, or its connection is lost. */
export function hasEnded(response: ServerResponse): boolean {
  return response.closed || response.req.socket.destroyed
}

/** Calls back once, when the response was sent or its connection is lost, also if that has happened already. In early versions of
 * Node 24, a response that waits behind another one of its connection emits no 'close' when the connection closes. */
export function onResponseEnd(response: ServerResponse, callback: () => void): void {
  if (hasEnded(response)) return callback()
  const { socket } = response.req
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

/** Aborts when the client disconnects before it has the response. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController()
  onResponseEnd(response, () => {
    if (!response.writableFinished) disconnected.abort(new Problem('client_disconnected'))
  })
  return disconnected.signal
}
