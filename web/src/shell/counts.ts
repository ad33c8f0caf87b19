import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMay } from '../auth/permissions.ts'

/** undefined while it is not known. */
export function useAgentCount(): number | undefined {
  const { data } = useQuery({
    queryKey: keys.facets({}),
    queryFn: ({ signal }) => api().agents.facets({}, { signal }),
    enabled: useMay('agent:read'),
    select: ({ count }) => count,
  })
  return data
}

export function useServicesInTrouble(): number {
  const { data } = useQuery({
    queryKey: keys.services,
    queryFn: ({ signal }) => api().services.list({ signal }),
    enabled: useMay('service:read'),
    refetchInterval: 60_000,
    select: ({ results }) =>
      results.filter(({ state, breaker }) => breaker === 'open' || (state !== 'up' && state !== 'starting'))
        .length,
  })
  return data ?? 0
}
