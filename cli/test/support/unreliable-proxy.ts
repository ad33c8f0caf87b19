import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onFreePort } from '../../../dev/free-port.ts'
import { closeAfter } from '../../../test/support/close-after.ts'

type Refusal = { status: number; retryAfter: string } | 'lose' | 'close' | undefined

/** A proxy in front of a console, which can refuse requests, close their connections, or lose their responses. */
export async function useUnreliableProxy(target: string) {
  const proxy = {
    url: '',
    /** What becomes of a PUT, also of a dry run. */
    refuse: (_count: number): Refusal => undefined,
    /** What becomes of every other request. */
    refuseOther: (_method: string | undefined): Refusal => undefined,
    /** Called after each write that is no dry run. */
    onWrite: (_count: number): void => {},
    /** How many writes were pending when each one arrived. */
    atOnce: [] as number[],
  }
  let [writes, applied, pending] = [0, 0, 0]
  const server = createServer((request, response) => void forward(request, response))
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const isWrite = request.method === 'PUT'
    const refusal = isWrite ? proxy.refuse(++writes) : proxy.refuseOther(request.method)
    if (isWrite) proxy.atOnce.push(++pending)
    try {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
      if (refusal === 'close') {
        request.socket.destroy()
        return
      }
      if (refusal && refusal !== 'lose') {
        response.writeHead(refusal.status, { 'retry-after': refusal.retryAfter }).end('{}')
        return
      }
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
      const forwarded = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers,
        body: isWrite ? body : null,
      })
      const text = await forwarded.text()
      if (isWrite && !request.url?.includes('dry_run')) proxy.onWrite(++applied)
      if (refusal === 'lose') {
        request.socket.destroy()
        return
      }
      for (const name of ['content-type', 'etag']) {
        const value = forwarded.headers.get(name)
        if (value !== null) response.setHeader(name, value)
      }
      response.writeHead(forwarded.status).end(text)
    } finally {
      if (isWrite) pending--
    }
  }
  const port = await onFreePort(async (free) => void server.listen(free, '127.0.0.1'))
  proxy.url = `http://127.0.0.1:${port}`
  closeAfter(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}
