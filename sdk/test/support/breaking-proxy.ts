import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { onFreePort } from '../../../dev/free-port.ts'
import { closeAfter } from '../../../test/support/close-after.ts'

/** What happens to the first try of a call. The others pass. */
export type Fault =
  /** The connection ends before the console receives the request. */
  | { kind: 'refused' }
  /** The console handles the request, and the client does not get the last bytes of the response. */
  | { kind: 'cut'; missing: number; length: 'declared' | 'by end of connection' }
  /** The client gets this status instead of the response; `isHandled`: the console has made the change. */
  | { kind: 'status'; status: number; isHandled: boolean }

export interface BreakingProxy {
  url: string
  /** Breaks the first request with this id and method. */
  plan: (requestId: string, method: string, fault?: Fault) => Planned
}

/** What happened to the requests of a plan. */
export interface Planned {
  method: string
  fault: Fault | undefined
  tries: number
  /** Of the last response. */
  length: number
}

/** Stands in front of a console and breaks connections. */
export async function useBreakingProxy(consoleUrl: string): Promise<BreakingProxy> {
  const plans = new Map<string, Planned>()

  const handle = async (incoming: IncomingMessage, socket: Socket) => {
    const body = Buffer.concat(await incoming.toArray())
    const plan = plans.get(String(incoming.headers['x-request-id']))
    const isPlanned = plan?.method === incoming.method
    if (plan && isPlanned) plan.tries += 1
    const fault = plan && isPlanned && plan.tries === 1 ? plan.fault : undefined

    if (fault?.kind === 'refused') return socket.destroy()
    if (fault?.kind === 'status' && !fault.isHandled) return socket.end(errorResponse(fault.status))
    const response = await forward(consoleUrl, incoming, body)
    const isComplete = fault?.kind !== 'cut' || fault.length === 'declared'
    const bytes = toBytes(response, isComplete)
    if (plan && isPlanned) plan.length = bytes.length
    if (fault?.kind === 'status') return socket.end(errorResponse(fault.status))
    return socket.end(fault ? bytes.subarray(0, Math.max(0, bytes.length - fault.missing)) : bytes)
  }

  const server = createServer((incoming) => {
    const { socket } = incoming
    socket.on('error', () => {})
    handle(incoming, socket).catch(() => socket.destroy())
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
    plan: (requestId, method, fault) => {
      const planned = { method, fault, tries: 0, length: 0 }
      plans.set(requestId, planned)
      return planned
    },
  }
}

interface ForwardedResponse {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

async function forward(
  consoleUrl: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<ForwardedResponse> {
  const outgoing = request(new URL(url ?? '', consoleUrl), {
    method: method ?? 'GET',
    // fetch accepts a compressed text without its last bytes, which repeat its length and checksum.
    headers: { ...headers, 'accept-encoding': 'identity' },
  })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const received = Buffer.concat(await response.toArray())
  return { status: response.statusCode ?? 0, headers: response.headers, body: received }
}

function toBytes({ status, headers, body }: ForwardedResponse, withLength: boolean): Buffer {
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...kept } = headers
  const length = withLength && status !== 204 ? { 'content-length': String(body.length) } : {}
  const lines = Object.entries({ ...kept, ...length, connection: 'close' })
    .map(([name, value]) => `${name}: ${String(value)}\r\n`)
    .join('')
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines}\r\n`), body])
}

function errorResponse(status: number): string {
  const body = JSON.stringify({ detail: 'The test refuses it.', code: 'internal' })
  const head = `HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\nlocation: /elsewhere\r\nconnection: close\r\n`
  return `${head}content-length: ${body.length}\r\n\r\n${body}`
}
