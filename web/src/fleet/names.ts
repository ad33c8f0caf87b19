import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client.ts'

/** The API names at most so many users at once. */
const CHUNK = 100
const KEPT_MS = 10 * 60_000

export type Names = ReadonlyMap<string, string>

/** Names of users, in the order in which their ids first occur, so that a chunk that is full stays the same. */
export function useNames(ids: Iterable<string>): Names {
  const known = [...new Set(ids)]
  const chunks = Array.from({ length: Math.ceil(known.length / CHUNK) }, (_, index) =>
    known.slice(index * CHUNK, (index + 1) * CHUNK),
  )
  const results = useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: ['users', 'names', chunk],
      queryFn: ({ signal }: { signal: AbortSignal }) => api().users.list(chunk, { signal }),
      staleTime: KEPT_MS,
    })),
    combine: (all) => all.map(({ data }) => data),
  })
  return useMemo(
    () =>
      new Map(
        results.flatMap((data) => data?.results.map(({ user_id: id, name }) => [id, name] as const) ?? []),
      ),
    [results],
  )
}
