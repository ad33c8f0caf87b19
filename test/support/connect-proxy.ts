import { createServer } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'

/** An HTTP proxy for tunnels. It leads all of them to one port of this machine. */
export interface ConnectProxy {
  url: string
  /** What it was asked to connect to, with the credentials of the client. */
  tunnels: [target: string, authorization: string | undefined][]
  /** Refuses tunnels from now on. */
  refuse: () => void
  close: () => Promise<void>
}

export async function startConnectProxy(targetPort: number): Promise<ConnectProxy> {
  const tunnels: ConnectProxy['tunnels'] = []
  let refuses = false
  const server = createServer((_request, response) => response.writeHead(500).end())
  server.on('connect', (request, client) => {
    tunnels.push([request.url ?? '', request.headers['proxy-authorization']])
    if (refuses) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const target = connect(targetPort, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    pipeline(client, target, client, () => {})
  })
  const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
  return {
    url: `http://user:s3cret@127.0.0.1:${port}`,
    tunnels,
    refuse: () => {
      refuses = true
    },
    close: () => stopListening(server),
  }
}
