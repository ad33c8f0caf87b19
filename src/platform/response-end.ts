import type { ServerResponse } from 'node:http'
import { Problem } from '../contract/problem.ts'

/** Calls back once, when the response was sent or its connection is lost, also if that has happened already. */
export function onResponseEnd(response: ServerResponse, callback: () => void): void {
  if (response.closed) callback()
  else response.once('close', callback)
}

/** Aborts when the client disconnects before it has the response. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController()
  onResponseEnd(response, () => {
    if (!response.writableFinished) disconnected.abort(new Problem('client_disconnected'))
  })
  return disconnected.signal
}
