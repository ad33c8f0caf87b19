import type { AgentListQuery } from '@agent-console/sdk'

export type Sort = NonNullable<AgentListQuery['sort']>

/** The orders that the API has. There is none by the last change. */
export const SORTS: Record<Sort, string> = {
  '-created_at': 'Created, newest first',
  created_at: 'Created, oldest first',
  agent_name: 'Name, A to Z',
  '-agent_name': 'Name, Z to A',
  '-score': 'Score, highest first',
  score: 'Score, lowest first',
}

export const DEFAULT_SORT: Sort = '-created_at'

export function isSort(value: unknown): value is Sort {
  return typeof value === 'string' && Object.hasOwn(SORTS, value)
}
