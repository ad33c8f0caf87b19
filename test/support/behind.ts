import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { watchSockets } from './evolution-service/sockets.ts'

/** What it does with a request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown

/** A service behind the console that does whatever a test says. */
export interface Behind {
  url: string
  /** What it was asked for, head by head. */
  asked: { line: string; rawHeaders: string[] }[]
  behave: (behaviour: Behaviour) => void
  openSockets: () => number
  bytesWritten: () => number
  /** Refuses connections and cuts the open ones, until `resume`. */
  stop: () => Promise<void>
  resume: () => Promise<void>
}

export async function startBehind(): Promise<Behind> {
  const asked: Behind['asked'] = []
  let behaviour: Behaviour = (_request, response) => response.end('{}')
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, rawHeaders: request.rawHeaders })
    behaviour(request, response)
  })
  const sockets = watchSockets(server, () => {})
  const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    behave: (next) => {
      behaviour = next
    },
    openSockets: sockets.open,
    bytesWritten: sockets.bytesWritten,
    stop: async () => {
      await Promise.all([stopListening(server), sockets.cut()])
    },
    resume: async () => void (await listen(server, port, '127.0.0.1')),
  }
}
