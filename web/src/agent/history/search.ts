import type { Search } from '../../shared/search.ts'

/** What the address of this page holds: the two revisions to compare, and the filters of the timeline. */
export interface HistorySearch {
  a?: number | undefined
  b?: number | undefined
  /** Name of a field, or `behaviour` for all that bear on it. */
  field?: string | undefined
  /** Id of a user. */
  by?: string | undefined
}

export function historySearch(raw: Search): HistorySearch {
  return { a: revision(raw['a']), b: revision(raw['b']), field: text(raw['field']), by: text(raw['by']) }
}

function revision(value: Search[string]): number | undefined {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

function text(value: Search[string]): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
