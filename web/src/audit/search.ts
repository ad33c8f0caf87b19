import type { AuditFilters } from '@agent-console/sdk'
import type { Search } from '../shared/search.ts'

/** What the address of this page may hold: the filters of the API under their own names. */
export interface AuditSearch {
  user_id?: string
  action?: string
  agent_id?: string
  field?: string
  via?: string
  client_id?: string
  /** Unix time in seconds. */
  since?: number
  until?: number
}

export function auditSearch(raw: Search): AuditSearch {
  const search: AuditSearch = {}
  for (const name of ['user_id', 'action', 'agent_id', 'field', 'via', 'client_id'] as const) {
    const value = textOf(raw[name])
    if (value !== undefined) search[name] = value
  }
  for (const name of ['since', 'until'] as const) {
    const value = Number(textOf(raw[name]) ?? Number.NaN)
    if (Number.isSafeInteger(value) && value >= 0) search[name] = value
  }
  return search
}

/** The address has texts; a navigation within the page hands over numbers. */
function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first === 'number') return String(first)
  return typeof first === 'string' && first !== '' ? first : undefined
}

/** The server refuses values that it does not know, with a message for the page. */
export function toFilters(search: AuditSearch): AuditFilters {
  return search as AuditFilters
}
