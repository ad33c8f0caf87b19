import { NotFound } from '@agent-console/sdk'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { api, keys, listQuery } from '../api/client.ts'
import { useMay } from '../auth/permissions.ts'
import { type AuditSearch, toFilters } from './search.ts'

const PAGE = 100
const REFRESH_MS = 10_000

/** New events appear by themselves until older ones are shown: a list that is read must not grow at its top. */
export function useAuditEvents(search: AuditSearch, paused: boolean) {
  return useInfiniteQuery({
    ...listQuery(keys.audit(search), (cursor, signal) =>
      api().audit.list({ ...toFilters(search), limit: PAGE, ...cursor }, { signal }),
    ),
    refetchInterval: ({ state }) => (paused || (state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
    staleTime: 0,
  })
}

/** null: the agent was deleted, or belongs to another team. */
export type AgentNames = ReadonlyMap<string, string | null>

/** The log has ids only. The names of those shown are read one by one, a few at a time, and kept. */
export function useAgentNames(ids: readonly string[]): AgentNames {
  const may = useMay('agent:read')
  const results = useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['agent-names', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => limited(() => readName(id, signal)),
      enabled: may,
      staleTime: 300_000,
    })),
    combine: (all) => all.map(({ data }) => data),
  })
  return new Map(results.filter((result) => result !== undefined).map(({ id, name }) => [id, name]))
}

async function readName(id: string, signal: AbortSignal): Promise<{ id: string; name: string | null }> {
  try {
    const { agent } = await api().agents.get(id, {}, { signal })
    return { id, name: agent.agent_name }
  } catch (error) {
    if (error instanceof NotFound) return { id, name: null }
    throw error
  }
}

const MAX_AT_ONCE = 4
const waiting: (() => void)[] = []
let running = 0

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
