import { connect, type Socket } from 'node:net'
import type { FloodRequest } from './flood.ts'

export interface RawResponse {
  status: number
  /** Seconds. */
  retryAfter: number | undefined
  /** Head and body. */
  text: string
}

interface Waiting {
  resolve: (response: RawResponse) => void
  reject: (error: Error) => void
}

/** A client that takes a tenth of the processor time of a real one: the generator of a load runs on the machine that it
 * loads. One request at a time on each connection. It understands the responses of the console to these requests: each has a
 * Content-Length. */
export class RawClient {
  readonly #port: number
  #socket: Socket | undefined
  #received = ''
  #waiting: Waiting | undefined

  constructor(url: string) {
    this.#port = Number(new URL(url).port)
  }

  send(request: string): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket ??= this.#open()
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.#receive(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#socket = undefined
      this.#received = ''
      this.#waiting?.reject(new Error('The connection closed'))
      this.#waiting = undefined
    })
    return socket
  }

  #receive(chunk: string): void {
    this.#received += chunk
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1] ?? 0)
    if (this.#received.length < headEnd + 4 + length) return
    const text = this.#received
    const retryAfter = /\r\nretry-after: (\d+)/i.exec(text)?.[1]
    const waiting = this.#waiting
    this.#received = ''
    this.#waiting = undefined
    waiting?.resolve({
      status: Number(text.slice(9, 12)),
      retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
      text,
    })
  }
}

/** The text of a request. */
export function formatRequest({ method, path, token, body = '' }: FloodRequest, n: number): string {
  const content = body.replace('{n}', String(n))
  const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n`
  if (content === '') return `${head}\r\n`
  return `${head}content-type: application/json\r\ncontent-length: ${content.length}\r\n\r\n${content}`
}
