import type { AgentResult, AgentRevision } from '@agent-console/sdk'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'

/** The agent with its revision and its latest evaluation. */
const agentQuery = (id: string) =>
  queryOptions({
    queryKey: keys.one(id),
    queryFn: ({ signal }): Promise<AgentResult> => api().agents.get(id, { include_scores: true }, { signal }),
  })

export function useAgent(id: string): UseQueryResult<AgentResult> {
  return useQuery(agentQuery(id))
}

/** Who made the last change: the agent itself does not say it. */
export function useLastRevision(id: string): AgentRevision | undefined {
  const { data } = useQuery({
    queryKey: keys.lastRevision(id),
    queryFn: ({ signal }) => api().agents.revisions(id, { limit: 1 }, { signal }),
    select: ({ results }) => results[0],
  })
  return data
}
