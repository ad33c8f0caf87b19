import { once } from 'node:events'
import { createServer } from 'node:net'
import { constants } from 'node:os'

export interface ConnectionAttempts {
  /** The addresses that this process has asked the kernel to connect to. */
  addresses: string[]
  stop: () => void
}

type Connect = (request: unknown, address: string, port: number) => number

interface TcpHandle {
  connect: Connect
  connect6: Connect
}

/** Records every address that this process connects to, where Node passes it to the kernel: below `net`, `tls` and every HTTP
 * client. Connections to other machines are refused, so that a test needs no network. */
export async function recordAttempts(): Promise<ConnectionAttempts> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The class of these handles cannot be imported.
  const tcp = Object.getPrototypeOf((server as unknown as Record<string, unknown>)['_handle']) as TcpHandle
  server.close()
  const { connect, connect6 } = tcp
  const addresses: string[] = []

  const recording = (original: Connect): Connect =>
    function record(this: TcpHandle, request, address, port) {
      addresses.push(address)
      if (!/^127\.|^::1$|^::ffff:7f/.test(address)) return -constants.errno.ECONNREFUSED
      return original.call(this, request, address, port)
    }
  tcp.connect = recording(connect)
  tcp.connect6 = recording(connect6)
  return { addresses, stop: () => void Object.assign(tcp, { connect, connect6 }) }
}
