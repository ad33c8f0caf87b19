import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Problem } from '../api/problem.ts'
import { Share } from './limits/share.ts'

export interface ExportPage<Position> {
  text: string
  /** Where the next page starts. Undefined after the last page. */
  next: Position | undefined
}

export interface Export<Position> {
  team: string
  /** Reads one page; the first one without a position. */
  read: (position: Position | undefined) => Promise<ExportPage<Position>>
  /** Ends the export with the token of the request. */
  endWithToken: (end: () => void) => () => void
}

/** Open exports of all teams together. */
const MAX_OPEN = 32

/** Responses that are read page by page while the client takes them. An export that cannot go on is cut off, so that it
 * does not look complete. */
export class Exports {
  readonly #share = new Share(MAX_OPEN)
  readonly #open = new Set<Readable>()

  /** Reads the first page before it returns, so that its errors are responses. */
  async start<Position>({ team, read, endWithToken }: Export<Position>): Promise<Readable> {
    this.#share.take(team)
    const first = await read(undefined).catch((error: unknown) => {
      this.#share.give(team)
      throw error
    })
    const pages = readPages(read, first, () => stream.destroyed)
    const stream: Readable = new Readable({
      highWaterMark: 1,
      // Readable.from would wait for the next page when it is destroyed.
      read() {
        pages.next().then(
          ({ done, value }) => this.push(done ? null : value),
          (error: Error) => this.destroy(error),
        )
      },
    })
    this.#open.add(stream)
    const release = endWithToken(() => stream.destroy(new Problem('invalid_token')))
    stream.once('close', () => {
      this.#open.delete(stream)
      release()
      this.#share.give(team)
    })
    return stream
  }

  /** Cuts off what is open, when the process ends. */
  close(): void {
    for (const stream of this.#open) stream.destroy(new Problem('overloaded'))
  }
}

async function* readPages<Position>(
  read: Export<Position>['read'],
  first: ExportPage<Position>,
  isClosed: () => boolean,
): AsyncGenerator<string> {
  let page = first
  for (;;) {
    // A stream would take an empty text for its end.
    if (page.text !== '') yield page.text
    const { next } = page
    if (next === undefined || isClosed()) return
    page = await read(next)
  }
}

const waiting = new WeakMap<Socket, Set<() => void>>()

/** Whether the response was sent, or its connection is lost. */
export function hasEnded(response: ServerResponse): boolean {
  return response.closed || response.req.socket.destroyed
}

/** Calls back once, when the response was sent or its connection is lost, also if that has happened already. In early
 * versions of Node 24, a response that waits behind another one of its connection emits no 'close' when the connection
 * closes. */
export function onResponseEnd(response: ServerResponse, callback: () => void): void {
  if (hasEnded(response)) return callback()
  const { socket } = response.req
  const ofSocket = waiting.get(socket) ?? addSocket(socket)
  const end = () => {
    if (ofSocket.delete(end)) callback()
  }
  ofSocket.add(end)
  response.once('close', end)
}

function addSocket(socket: Socket): Set<() => void> {
  const callbacks = new Set<() => void>()
  waiting.set(socket, callbacks)
  socket.once('close', () => {
    for (const end of callbacks) end()
  })
  return callbacks
}

/** Aborts when the client disconnects before it has the response. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController()
  onResponseEnd(response, () => {
    if (!response.writableFinished) disconnected.abort(new Problem('client_disconnected'))
  })
  return disconnected.signal
}
