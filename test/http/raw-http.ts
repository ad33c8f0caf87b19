import { connect, type Socket } from 'node:net'

/** HTTP as bytes: for what `fetch` refuses to send, and to read answers more strictly than it does. */

export interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]+$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e]*)$/

/** Sends bytes on a connection of their own and answers all that comes back until it is closed. The bytes
 * must make the server close it; `half` closes our side, for a request that lacks its end. */
export function exchange(
  url: string,
  bytes: string | Buffer,
  { half = false, timeoutMs = 20_000 } = {},
): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      if (half) socket.end(bytes)
      else socket.write(bytes)
    })
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('The server neither answers nor closes')))
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server may answer and close while bytes are still on their way to it.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** A connection that is kept from one request to the next, as long as the server keeps it. */
export class KeptConnection {
  readonly #url: URL
  #socket: Socket | undefined

  constructor(url: string) {
    this.#url = new URL(url)
  }

  /** Sends one whole request and answers its answer. */
  send(bytes: Buffer, method: string): Promise<RawAnswer> {
    this.#socket ??= connect(Number(this.#url.port), this.#url.hostname)
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0)
      const finish = (end: () => void) => {
        socket.removeAllListeners().on('error', () => {})
        end()
      }
      const drop = (error: Error) => {
        this.close()
        finish(() => reject(error))
      }
      socket.setTimeout(20_000, () => drop(new Error('The server does not answer')))
      socket.on('error', drop).on('close', () => drop(new Error('Closed without an answer')))
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk])
        try {
          const answer = readAnswers(received, method, { isWhole: false })[0]
          if (answer === undefined) return
          if (answer.headers.get('connection') === 'close') this.close()
          finish(() => resolve(answer))
        } catch (error) {
          drop(error as Error)
        }
      })
      socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

/** Reads one answer from the start of the bytes, with how many bytes it took; undefined when it is not all
 * there yet. Throws where it is not HTTP. */
function readAnswer(bytes: Buffer, method = 'GET'): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(STATUS_LINE.exec(statusLine)?.[1])
  if (Number.isNaN(status)) throw new Error(`Not a status line: ${statusLine}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === '') throw new Error(`Not a header: ${line}`)
    headers.set(name.toLowerCase(), value)
  }
  const start = headEnd + 4
  const isBodyless = method === 'HEAD' || status < 200 || status === 204 || status === 304
  if (isBodyless) return { answer: { status, headers, body: '' }, length: start }
  if (headers.get('transfer-encoding') === 'chunked') {
    const end = bytes.indexOf('\r\n0\r\n\r\n', start - 2)
    return end === -1 ? undefined : { answer: { status, headers, body: '' }, length: end + 7 }
  }
  const contentLength = headers.get('content-length') ?? ''
  if (!/^\d+$/.test(contentLength)) throw new Error(`An answer without a length: ${statusLine}`)
  const end = start + Number(contentLength)
  if (bytes.length < end) return undefined
  return { answer: { status, headers, body: bytes.subarray(start, end).toString() }, length: end }
}

/** All answers in the bytes, but for interim ones. Throws where anything is left over, unless more bytes
 * may come. */
export function readAnswers(bytes: Buffer, method?: string, { isWhole = true } = {}): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const read = readAnswer(rest, method)
    if (read === undefined) {
      if (!isWhole) break
      throw new Error(`An answer was cut off: ${rest.subarray(0, 200).toString('latin1')}`)
    }
    if (read.answer.status >= 200) answers.push(read.answer)
    rest = rest.subarray(read.length)
  }
  return answers
}
