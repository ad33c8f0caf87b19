import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const PATH = '/callback'

export interface Loopback {
  redirectUri: string
  /** The address that the issuer has sent the browser to. */
  visited: Promise<URL>
  close: () => Promise<void>
}

/** Waits for the browser on a port of this machine (RFC 8252 section 7.3). */
export async function openLoopback(): Promise<Loopback> {
  const { promise: visited, resolve } = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const isCallback = request.method === 'GET' && url.pathname === PATH
    const [status, text] = isCallback ? pageOf(url) : ([404, 'Not found.'] as const)
    response
      .writeHead(status, HEADERS)
      .end(`<!doctype html><html lang="en"><title>Agent Console</title><p>${text}</p></html>\n`)
    if (isCallback) resolve(url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { redirectUri: `http://127.0.0.1:${port}${PATH}`, visited, close: () => close(server) }
}

const pageOf = ({ searchParams }: URL): readonly [number, string] =>
  searchParams.has('code')
    ? [200, 'You are logged in. Close this page and go back to the terminal.']
    : [400, 'The login failed. The terminal says why.']

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
  // The address of the page contains the code.
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await closed
}
