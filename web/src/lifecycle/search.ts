import { isSort, type Search, type Sort } from '../shared/search.ts'

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
    ...(isSort(sort) ? { sort } : {}),
  }
}
