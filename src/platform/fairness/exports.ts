import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import { countPassedBytes } from '../minor-gc.ts'
import type { FairQueue } from './fair-queue.ts'
import { refusalProblem, takePlace } from './place.ts'
import { createSharedBudget } from './shared-budget.ts'

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

export interface ExportsOptions {
  /** The places for all pages but the first. */
  queue: FairQueue
  /** Open exports of all teams together. */
  max?: number
  /** How long an export that is refused a place waits before it tries again, and how often it does. */
  retryMs?: number
  retries?: number
}

/** What a page takes: as it arrives, as rows, as objects, as text, and as bytes for the client, most of them twice. */
const PASSED_FOR_CHARACTER = 8

export type Exports = ReturnType<typeof createExports>

/** Responses that are read page by page while the client takes them. Between two pages an export holds no place at the database, and
 * of a client that does not read it keeps two pages at most. One that cannot go on is cut off, so that it does not look complete. */
export function createExports({ queue, max = 32, retryMs = 1_000, retries = 60 }: ExportsOptions) {
  const room = createSharedBudget(max)
  const open = new Set<Readable>()

  const readAtPlace = async <Result>(team: string, closed: AbortSignal, read: () => Promise<Result>) => {
    for (let attempt = 0; ; attempt++) {
      const place = await takePlace(queue, { team, signal: closed })
      if ('refusal' in place) {
        if (attempt === retries) throw refusalProblem(place.refusal)
        await sleep(retryMs, undefined, { signal: closed })
        continue
      }
      try {
        // The client may have disconnected meanwhile.
        closed.throwIfAborted()
        return await read()
      } finally {
        place.release()
      }
    }
  }

  async function* readPages<Position>(
    { team, read }: Export<Position>,
    first: ExportPage<Position>,
    closed: AbortSignal,
  ): AsyncGenerator<string> {
    let page = first
    for (;;) {
      countPassedBytes(PASSED_FOR_CHARACTER * page.text.length)
      // A stream would take an empty text for its end.
      if (page.text !== '') yield page.text
      const { next } = page
      if (next === undefined) return
      page = await readAtPlace(team, closed, () => read(next))
    }
  }

  return {
    /** Reads the first page with the place of the request, so that its errors are responses. The handler must return the stream
     * itself: a reply counts as ended when it is sent, and would keep the place until then. */
    async start<Position>(request: Export<Position>): Promise<Readable> {
      const { team, read, endWithToken } = request
      const refusal = room.take(team, 1)
      if (refusal) throw refusalProblem(refusal)
      const first = await read(undefined).catch((error: unknown) => {
        room.give(team, 1)
        throw error
      })
      const closing = new AbortController()
      const pages = readPages(request, first, closing.signal)
      const stream = new Readable({
        highWaterMark: 1,
        read() {
          pages.next().then(
            ({ done, value }) => this.push(done ? null : value),
            (error: Error) => this.destroy(error),
          )
        },
        // Readable.from would wait for the next page, which may never come.
        destroy(error, callback) {
          closing.abort()
          callback(error)
        },
      })
      open.add(stream)
      const release = endWithToken(() => stream.destroy(new Problem('invalid_token')))
      stream.once('close', () => {
        open.delete(stream)
        release()
        room.give(team, 1)
      })
      return stream
    },

    /** Cuts off what is open, when the process ends. */
    close: (): void => {
      for (const stream of open) stream.destroy(new Problem('overloaded'))
    },
  }
}
