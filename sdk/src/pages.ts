interface Page {
  next_cursor: string | null
}

/** Follows `next_cursor` to the last page. A page can be empty although there is a next one. */
export async function* pages<P extends Page>(
  first: string | undefined,
  load: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let cursor: string | null | undefined = first
  do {
    const page: P = await load(cursor)
    yield page
    cursor = page.next_cursor
  } while (cursor !== null)
}
