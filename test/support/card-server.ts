import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onFreePort } from '../../dev/free-port.ts'

export interface CardServer {
  url: string
  port: number
  /** What it sends for a path: an object as JSON with an entity tag, or a text. Anything else is a 404. */
  documents: Map<string, object | string>
  requests: { path: string; headers: IncomingHttpHeaders }[]
  close: () => Promise<void>
}

/** A server with agent cards. */
export async function startCardServer(): Promise<CardServer> {
  const documents: CardServer['documents'] = new Map()
  const requests: CardServer['requests'] = []
  const server = createServer(({ url: path = '', headers }, response) => {
    requests.push({ path, headers })
    const document = documents.get(path)
    if (document === undefined) return response.writeHead(404).end('Not found')
    if (typeof document === 'string')
      return response.writeHead(200, { 'content-type': 'text/html' }).end(document)
    const text = JSON.stringify(document)
    const etag = `"${Buffer.from(text).toString('base64url').length}-${text.length}"`
    if (!path.includes('untagged') && headers['if-none-match'] === etag)
      return response.writeHead(304, { etag }).end()
    return response
      .writeHead(200, {
        'content-type': 'application/json',
        // A server that knows no entity tags.
        ...(!path.includes('untagged') && { etag }),
      })
      .end(text)
  })
  const port = await onFreePort(
    (free) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(free, '127.0.0.1', resolve)
      }),
  )
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ port, documents, requests },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
