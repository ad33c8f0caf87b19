import type { Search } from '../shared/search.ts'

export const SORTS = {
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  agent_name: 'By name',
  '-score': 'Best score first',
  score: 'Lowest score first',
} as const

export type Sort = keyof typeof SORTS

/** What the address of this page may hold. */
export interface LifecycleSearch {
  q?: string
  /** Only agents whose evaluation no longer holds. */
  evaluation?: 'outdated'
  /** Only agents without a guardrail. */
  protection_statuses?: 'unprotected'
  sort?: Sort
}

export function lifecycleSearch(raw: Search): LifecycleSearch {
  const { q, evaluation, protection_statuses, sort } = raw
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(evaluation === 'outdated' ? { evaluation } : {}),
    ...(protection_statuses === 'unprotected' ? { protection_statuses } : {}),
    ...(typeof sort === 'string' && Object.hasOwn(SORTS, sort) ? { sort: sort as Sort } : {}),
  }
}
