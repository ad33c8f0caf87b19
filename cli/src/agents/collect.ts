import type { Context } from '../context.ts'
import { UsageError } from '../failure.ts'

const DEFAULT_LIMIT = 100
/** The most that a page of the console has. */
export const MAX_PAGE = 500

/** How many items a list shows: `--limit`, `--all`, or 100. */
export function limitOf({ options }: Context): number {
  const limit = options.count('limit')
  if (options.isOn('all')) {
    if (limit !== undefined) throw new UsageError('Give either --limit or --all.')
    return Number.POSITIVE_INFINITY
  }
  return limit ?? DEFAULT_LIMIT
}

/** Takes at most `limit` items, and tells the user if there are more. */
export async function collect<T>(
  items: AsyncIterable<T>,
  limit: number,
  what: string,
  { io, note, progress }: Context,
): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) {
    io.signal.throwIfAborted()
    if (collected.length >= limit) {
      progress('')
      note(`There are more ${what} than the ${limit} shown. Give a higher --limit, or --all.`)
      break
    }
    collected.push(item)
    if (collected.length % MAX_PAGE === 0) progress(`${collected.length} ${what}…`)
  }
  progress('')
  return collected
}
