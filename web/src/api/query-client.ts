import { QueryClient } from '@tanstack/react-query'

/** The client retries by itself, and live events invalidate what changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
})
