import { DEFAULT_SORT, isSort, type Sort } from '../shared/sorts.ts'

export function sortOf(value: string | undefined): Sort {
  return isSort(value) ? value : DEFAULT_SORT
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
