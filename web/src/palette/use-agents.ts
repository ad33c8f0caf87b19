import type { AgentListQuery } from '@agent-console/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMay } from '../auth/permissions.ts'

const SHOWN = 5
const FIELDS = ['agent_name', 'status', 'trust_stage'] as const satisfies AgentListQuery['fields']

/** The first agents whose name contains the text, and how many there are. */
export function useAgents(text: string) {
  const may = useMay('agent:read')
  const query = {
    q: text,
    limit: SHOWN,
    include_count: true,
    sort: 'agent_name',
    fields: [...FIELDS],
  } as const
  return useQuery({
    queryKey: keys.list(query),
    queryFn: ({ signal }) => api().agents.list({ ...query, fields: [...FIELDS] }, { signal }),
    enabled: may && text !== '',
    placeholderData: keepPreviousData,
  })
}
