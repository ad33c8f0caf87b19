import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onFreePort } from '../../dev/free-port.ts'
import { listen } from '../../dev/http-service.ts'
import { pour } from '../support/large-stream.ts'
import { document, returning, sending } from '../support/service-documents.ts'

/** A service with a document: small responses, downloads of any size, uploads, and calls that fail. */

const DOCUMENT = document({
  '/v1/files': { get: returning({}), post: sending({}) },
  '/v1/files/{bytes}': { get: returning({}) },
  '/v1/files/failing': { get: returning({}) },
})

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, bytes] = /\/(\d+)$/.exec(request.url ?? '') ?? []
  if (request.url === '/openapi.json') response.end(JSON.stringify(DOCUMENT))
  else if (request.url === '/v1/files/failing') response.writeHead(500).end()
  else if (bytes !== undefined) await pipeline(Readable.from(pour(Number(bytes))), response)
  else {
    await request.toArray()
    response.setHeader('content-type', 'application/json').end('{}')
  }
}

await once(process, 'message')
const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => {
  // The client may leave before the response has ended.
  serve(request, response).catch(() => {})
})
const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
process.on('disconnect', () => process.exit())
process.send?.(`http://127.0.0.1:${port}`)
