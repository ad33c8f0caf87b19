import type { AgentResult, AgentRevision } from '@agent-console/sdk'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, keys, listQuery } from '../api/client.ts'

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

const REVISIONS_PER_PAGE = 100

/** Newest first, page by page. */
export function revisionsQuery(id: string) {
  return listQuery([...keys.revisions(id), 'pages'], (cursor, signal) =>
    api().agents.revisions(id, { limit: REVISIONS_PER_PAGE, ...cursor }, { signal }),
  )
}

/** What differs between two revisions. Both are in the past, so that the answer changes only by redaction. */
export function diffQuery(id: string, before: number, after: number) {
  return queryOptions({
    queryKey: [...keys.revisions(id), 'diff', before, after],
    queryFn: ({ signal }) => api().agents.diff(id, after, { against: before }, { signal }),
    staleTime: 5 * 60_000,
  })
}

/** The agent as it was. */
export function pastAgentQuery(id: string, revision: number) {
  return queryOptions({
    queryKey: keys.revision(id, revision),
    queryFn: ({ signal }) => api().agents.revision(id, revision, { signal }),
    staleTime: 5 * 60_000,
  })
}

const EVALUATIONS_PER_PAGE = 50

export function evaluationsQuery(id: string) {
  return listQuery([...keys.evaluations(id), 'pages'], (cursor, signal) =>
    api().agents.evaluations(id, { limit: EVALUATIONS_PER_PAGE, ...cursor }, { signal }),
  )
}

/** A lower depth would leave out what weakens the agent. */
const WHOLE_DEPTH = 10

export function delegationQuery(id: string) {
  return queryOptions({
    queryKey: keys.delegation(id, WHOLE_DEPTH),
    queryFn: ({ signal }) => api().agents.delegation(id, { depth: WHOLE_DEPTH }, { signal }),
  })
}

export function dependentsQuery(id: string) {
  return queryOptions({
    queryKey: [...keys.dependents(id), 'first'],
    queryFn: ({ signal }) => api().agents.dependents(id, { limit: 100 }, { signal }),
  })
}
