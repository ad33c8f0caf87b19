import { Console } from '@agent-console/sdk'
import { type InfiniteData, infiniteQueryOptions, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { Session } from '../auth/session.ts'

let client: Console | undefined

/** Called once, after sign-in. */
export function connect(session: Session): void {
  client = new Console({ baseUrl: location.origin, token: () => session.token() })
}

/** The one client of the page. */
export function api(): Console {
  if (client === undefined) throw new Error('connect() must come first')
  return client
}

/** The client retries by itself, and live events invalidate what changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})

/**
 * Keys of the query cache. All that belongs to one agent begins with its `one` key, so that an event
 * about the agent invalidates it with one call.
 */
export const keys = {
  me: ['me'],
  agents: ['agents'],
  lists: ['agents', 'list'],
  list: (query: object) => ['agents', 'list', query],
  allFacets: ['agents', 'facets'],
  facets: (query: object) => ['agents', 'facets', query],
  one: (id: string) => ['agents', 'one', id],
  revisions: (id: string) => ['agents', 'one', id, 'revisions'],
  lastRevision: (id: string) => ['agents', 'one', id, 'last-revision'],
  revision: (id: string, revision: number) => ['agents', 'one', id, 'revisions', revision],
  evaluations: (id: string) => ['agents', 'one', id, 'evaluations'],
  delegation: (id: string, depth: number) => ['agents', 'one', id, 'delegation', depth],
  dependents: (id: string) => ['agents', 'one', id, 'dependents'],
  secretNames: (id: string) => ['agents', 'one', id, 'secret-names'],
  evolution: (id: string) => ['agents', 'one', id, 'evolution'],
  user: (id: string) => ['users', id],
  views: ['views'],
  services: ['services'],
  audit: (query: object) => ['audit', query],
} as const

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
