import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

interface Page {
  results: readonly unknown[]
  next_cursor: string | null
}

/** A page after the first one has a cursor, which belongs into the query of its request. */
type Cursor = { cursor?: string }

/** A list that the API gives page by page. */
export function listQuery<Result extends Page>(
  queryKey: QueryKey,
  read: (cursor: Cursor, signal: AbortSignal) => Promise<Result>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }: Result) => next_cursor,
  })
}

/** What is loaded of a list. */
export type Loaded<Result> = InfiniteData<Result, string | null>

export function rowsOf<Row>(data: { pages: readonly { results: readonly Row[] }[] } | undefined): Row[] {
  return data?.pages.flatMap(({ results }) => results) ?? []
}
