import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Clients that send requests and do not read the responses, or that hardly send, in a process of their own. */

export interface SlowClient {
  /** What it sends at once. */
  begin: string
  /** What it sends after that, a byte each second. Undefined for a client that does not read. */
  rest?: string
  count: number
  /** The address of this machine that they connect from. */
  from?: string
}

export interface SlowClients {
  url: string
  clients: SlowClient[]
}

export interface SlowClientsReport {
  /** How many responses had each status. */
  statuses: Record<string, number>
  /** How many clients have got a response, or were disconnected. */
  served: number
}

const CONNECTING_AT_ONCE = 100

const [{ url, clients }] = (await once(process, 'message')) as [SlowClients]
const { protocol, hostname, port } = new URL(url)
const report: SlowClientsReport = { statuses: {}, served: 0 }

async function open({ begin, rest, from = '127.0.0.1' }: SlowClient): Promise<void> {
  const plain = connect({ port: Number(port), host: hostname, localAddress: from })
  plain.on('error', () => {})
  const socket = protocol === 'https:' ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain
  const connected = Promise.race([
    once(socket, protocol === 'https:' ? 'secureConnect' : 'connect'),
    once(socket, 'close'),
  ])
  socket.on('error', () => {})
  void Promise.race([once(socket, 'data'), once(socket, 'close')])
    .catch(() => {})
    .then(() => report.served++)
  socket.write(begin)
  if (rest === undefined) stopReading(socket)
  else {
    socket.once('data', countStatus).resume()
    dripInto(socket, rest)
  }
  await connected.catch(() => {})
}

/** Reads the status line and nothing more. */
function stopReading(socket: Socket): void {
  socket.once('data', (chunk) => {
    countStatus(chunk)
    socket.pause()
  })
}

function countStatus(chunk: Buffer): void {
  const status = chunk.toString('latin1', 9, 12)
  report.statuses[status] = (report.statuses[status] ?? 0) + 1
}

function dripInto(socket: Socket, rest: string): void {
  let sent = 0
  const timer = setInterval(() => {
    if (sent < rest.length) socket.write(rest.charAt(sent++))
  }, 1_000)
  socket.on('close', () => clearInterval(timer))
}

const waiting = clients.flatMap((client) => Array.from({ length: client.count }, () => client)).values()
await Promise.all(
  Array.from({ length: CONNECTING_AT_ONCE }, async () => {
    for (const client of waiting) await open(client)
  }),
)
process.on('message', () => process.send?.(report))
process.on('disconnect', () => process.exit())
process.send?.('connected')
