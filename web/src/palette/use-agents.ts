import type { AgentListQuery } from '@agent-console/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMay } from '../auth/permissions.ts'
import { ranked } from './items.ts'

const SHOWN = 5
/** The API orders by name; the best matches are chosen from so many. */
const READ = 50
const FIELDS = ['agent_name', 'status', 'trust_stage'] as const satisfies AgentListQuery['fields']

/** The best of the agents whose name contains the text, and how many there are. */
export function useAgents(text: string) {
  const may = useMay('agent:read')
  const query = {
    q: text,
    limit: READ,
    include_count: true,
    sort: 'agent_name',
    fields: [...FIELDS],
  } as const
  return useQuery({
    queryKey: keys.list(query),
    queryFn: ({ signal }) => api().agents.list({ ...query, fields: [...FIELDS] }, { signal }),
    enabled: may && text !== '',
    placeholderData: keepPreviousData,
    select: ({ results, count }) => ({
      count,
      results: ranked(results, ({ agent_name }) => agent_name, text).slice(0, SHOWN),
    }),
  })
}
