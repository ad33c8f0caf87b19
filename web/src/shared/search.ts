import type { AgentListQuery } from '@agent-console/sdk'

/** Search parameters of an address: a name that occurs once is a text, more often a list. */
export type Search = Record<string, string | string[] | undefined>

/** Repeated names as the API has them; the router would write JSON. */
export function parseSearch(text: string): Search {
  const search: Search = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const present = search[name]
    search[name] = present === undefined ? value : [...listOf(present), value]
  }
  return search
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const each of listOf(value)) params.append(name, each)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The order of the parameters means nothing, nor does whether one value is a text or a list. */
export function isSameSearch(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  return sortedSearch(one) === sortedSearch(other)
}

function sortedSearch(search: Record<string, unknown>): string {
  return stringifySearch(search).slice(1).split('&').toSorted().join('&')
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

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
