import { Readable } from 'node:stream'
import { Problem } from '../contract/problem.ts'
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

export type Exports = ReturnType<typeof createExports>

/** Responses that are read page by page while the client takes them. An export that cannot go on is cut off, so that it does not
 * look complete. */
export function createExports() {
  const share = new Share(MAX_OPEN)
  const open = new Set<Readable>()

  return {
    /** Reads the first page before it returns, so that its errors are responses. */
    async start<Position>(request: Export<Position>): Promise<Readable> {
      const { team, read, endWithToken } = request
      share.take(team)
      const first = await read(undefined).catch((error: unknown) => {
        share.give(team)
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
      open.add(stream)
      const release = endWithToken(() => stream.destroy(new Problem('invalid_token')))
      stream.once('close', () => {
        open.delete(stream)
        release()
        share.give(team)
      })
      return stream
    },

    /** Cuts off what is open, when the process ends. */
    close: (): void => {
      for (const stream of open) stream.destroy(new Problem('overloaded'))
    },
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
