import type { AgentListQuery } from '@agent-console/sdk'

export type Sort = NonNullable<AgentListQuery['sort']>

/** The orders that the API has. There is none by the last change. */
export const SORTS: Record<Sort, string> = {
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  agent_name: 'Name, A to Z',
  '-agent_name': 'Name, Z to A',
  '-score': 'Highest score',
  score: 'Lowest score',
}

export const DEFAULT_SORT: Sort = '-created_at'

export function sortOf(value: string | undefined): Sort {
  return value !== undefined && Object.hasOwn(SORTS, value) ? (value as Sort) : DEFAULT_SORT
}

/** For the header of a column: what the next click makes of the order. */
export function nextSort(current: Sort, column: 'agent_name' | 'score' | 'created_at'): Sort {
  if (current === column) return `-${column}`
  if (current === `-${column}`) return column
  return column === 'agent_name' ? 'agent_name' : `-${column}`
}

export function sortedBy(current: Sort, column: string): 'ascending' | 'descending' | undefined {
  if (current === column) return 'ascending'
  return current === `-${column}` ? 'descending' : undefined
}
