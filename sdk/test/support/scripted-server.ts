import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onFreePort } from '../../../dev/free-port.ts'
import { closeAfter } from '../../../test/support/close-after.ts'

export interface ScriptedServer {
  url: string
  requests: IncomingMessage[]
  /** Resolves when so many requests have arrived. */
  arrived: (count: number) => Promise<void>
}

/** Behaves as a test says, for what no real console does on demand. */
export async function useScriptedServer(
  respond: (response: ServerResponse, request: IncomingMessage, index: number) => void,
): Promise<ScriptedServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    respond(response, request, requests.length - 1)
    server.emit('scripted')
  })
  const port = await onFreePort(async (free) => {
    server.listen(free, '127.0.0.1')
    await once(server, 'listening')
  })
  closeAfter(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    arrived: async (count) => {
      while (requests.length < count) await once(server, 'scripted')
    },
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
