import { once } from 'node:events'
import { connect } from 'node:net'
import { until } from '../support/until.ts'

export interface StalledWatcher {
  /** Reads what has come, up to the end that the server has made of it. */
  readOn: () => Promise<{ bytes: number; lastEventId: string | undefined }>
}

/** One who asks to watch, and then reads no more than the first of the answer. */
export async function stall(url: string, token: string): Promise<StalledWatcher> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let bytes = 0
  let tail = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (data: string) => {
    bytes += data.length
    tail = (tail + data).slice(-4_096)
  })
  socket.on('close', () => (isClosed = true))
  socket.on('error', () => {})
  socket.unref()
  socket.write(
    `GET /v1/agent-configurations/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  while (!tail.includes(': watching')) await once(socket, 'data')
  socket.pause()
  return {
    readOn: async () => {
      socket.resume()
      await until('a watcher that stopped reading is cut off', () => isClosed).finally(() => socket.destroy())
      // The last of them may be incomplete.
      const whole = tail.slice(0, tail.lastIndexOf('\n\n'))
      return { bytes, lastEventId: whole.match(/(?<=\nid: )\S+/g)?.at(-1) }
    },
  }
}
