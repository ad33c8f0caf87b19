import type { AuditFilters } from '@agent-console/sdk'
import { formatIso } from '../shared/format.ts'
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

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})

/** The audit log is compared with logs of other systems: its times are UTC. */
export function clockUtc(at: number): string {
  return TIME.format(new Date(at * 1000))
}

/** Sunday 15 November, with the year if it is not the current one. */
export function dayUtc(at: number, now: number): string {
  const date = new Date(at * 1000)
  const year = date.getUTCFullYear()
  const day = DAY.format(date)
  return year === new Date(now * 1000).getUTCFullYear() ? day : `${day} ${year}`
}

/** 2026-11-15T10:42, for a field of type datetime-local that is read as UTC. Empty for a year of five digits. */
export function toField(at: number | undefined): string {
  const text = at === undefined ? '' : formatIso(at)
  return /^\d{4}-/.test(text) ? text.slice(0, 16) : ''
}

/** undefined: no time. */
export function fromField(text: string): number | undefined {
  const at = Date.parse(`${text}Z`)
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000)
}
