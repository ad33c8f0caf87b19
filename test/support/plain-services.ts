import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { pour } from './large-stream.ts'

/** Services that answer as many bytes as a path asks for, the hash of what they are sent, or a small object. */

/** How a service behaves from now on. */
export type Behaviour = 'well' | 'hang' | 'down' | 'garbage'

const ANSWER = JSON.stringify({ id: 7, name: 'thing', tags: ['a', 'b'], nested: { score: 0.5 } })

const [{ count }] = (await once(process, 'message')) as [{ count: number }]
let behaviour: Behaviour = 'well'

async function hashOf(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of request) hash.update(chunk as Buffer)
  response.end(hash.digest('hex'))
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, bytes] = /\/bytes-(\d+)$/.exec(request.url ?? '') ?? []
  if (behaviour === 'hang') return
  if (behaviour === 'garbage') request.socket.end('\u0016\u0003 this is not HTTP\r\n')
  else if (request.method === 'POST') await hashOf(request, response)
  else if (bytes === undefined) response.setHeader('content-type', 'application/json').end(ANSWER)
  else await pipeline(Readable.from(pour(Number(bytes))), response)
}

const servers = await Promise.all(
  Array.from({ length: count }, async () => {
    const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => {
      // Whoever left has no use for an answer.
      serve(request, response).catch(() => {})
    })
    return { server, port: await onFreePort((port) => listen(server, port, '127.0.0.1')) }
  }),
)

async function behave(next: Behaviour): Promise<void> {
  behaviour = next
  for (const { server, port } of servers) {
    if (next === 'down') await stopListening(server)
    else if (!server.listening) await listen(server, port, '127.0.0.1')
  }
  process.send?.('done')
}

process.on('message', (next: Behaviour) => void behave(next))
process.on('disconnect', () => process.exit())
process.send?.(servers.map(({ port }) => `http://127.0.0.1:${port}`))
