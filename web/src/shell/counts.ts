import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMay } from '../auth/permissions.ts'
import { callsPass, needsAttention } from '../services/state.ts'

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

interface Trouble {
  count: number
  /** Calls of at least one of them are refused. */
  isSevere: boolean
}

export function useServicesInTrouble(): Trouble {
  const { data } = useQuery({
    queryKey: keys.services,
    queryFn: ({ signal }) => api().services.list({ signal }),
    enabled: useMay('service:read'),
    refetchInterval: 60_000,
    select: ({ results }) => {
      const troubled = results.filter(needsAttention)
      return { count: troubled.length, isSevere: !troubled.every(callsPass) }
    },
  })
  return data ?? { count: 0, isSevere: false }
}
