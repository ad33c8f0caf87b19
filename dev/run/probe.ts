import { once } from 'node:events'
import { connect } from 'node:net'

const TIMEOUT_MS = 2_000

/** The first bytes that a server at this port of the machine sends; empty without one. Tells NATS and Redis apart from other
 * programs, without a client library. */
export async function probe(port: number, request = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write(request)
    const [text] = await once(socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return String(text)
  } catch {
    return ''
  } finally {
    socket.destroy()
  }
}
